const SAMPLE_BYTES = 4096
const TEXT = /^[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Z}\p{Cf}\t\r\n]*$/u

export function detectByteOrderMark([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : undefined
}

/**
 * Which UTF-16 a text without a mark is in. In Latin script nearly every pair of bytes has a zero, in others only line ends,
 * delimiters and digits do; read in the wrong order those are no text. Text in other charsets has no zeros.
 */
export function guessUtf16(bytes: Uint8Array): string | undefined {
  const head = bytes.subarray(0, SAMPLE_BYTES)
  const zeros = [0, 0]
  for (const [index, byte] of head.entries()) if (byte === 0) zeros[index % 2]!++
  if (zeros[0] === 0 && zeros[1] === 0) return undefined
  const most = head.length * 0.35
  if (zeros[1]! > most && zeros[0] === 0) return 'utf-16le'
  if (zeros[0]! > most && zeros[1] === 0) return 'utf-16be'
  if (bytes.length % 2 === 1) return undefined
  return ['utf-16le', 'utf-16be'].find(encoding => {
    const text = new TextDecoder(encoding).decode(head, { stream: true })
    return text.includes('\n') && TEXT.test(text)
  })
}
