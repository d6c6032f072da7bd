/** Node reads headers as Latin-1, and clients send UTF-8. A text that did not come in a header is Unicode already. */
export function decodeHeader(text: string): string {
  if (/[^\0-\xff]/.test(text)) return text
  const decoded = Buffer.from(text, 'latin1').toString('utf8')
  return decoded.includes('\ufffd') ? text : decoded
}
