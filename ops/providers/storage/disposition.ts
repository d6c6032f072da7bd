/** `Content-Disposition` (RFC 6266): an ASCII name for every client, and the exact name if it differs. */
export function contentDisposition(filename: string | undefined, kind: 'attachment' | 'inline' = 'attachment'): string {
  if (!filename) return kind
  const plain = filename.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  if (plain === filename) return `${kind}; filename="${plain}"`
  return `${kind}; filename="${plain}"; filename*=UTF-8''${extendedValue(filename)}`
}

/** The `ext-value` of RFC 8187, which escapes some characters that `encodeURIComponent` does not. */
function extendedValue(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /['()*]/g,
    char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
