import { Problem } from '#kit'

/** The database keeps no NUL characters and no halves of surrogate pairs. */
export function requireStorable(field: string, value: unknown, maxBytes: number): void {
  if (value === undefined) return
  let isStorable = true
  const check = (text: string) => text.isWellFormed() && !text.includes('\0')
  const json = JSON.stringify(value, (key, part: unknown) => {
    isStorable &&= check(key) && (typeof part !== 'string' || check(part))
    return part
  })
  if (!isStorable) throw new Problem('INVALID_PARAM', { field, reason: 'it has characters that are no text' })
  if (Buffer.byteLength(json) > maxBytes)
    throw new Problem('INVALID_PARAM', { field, reason: `it has more than ${maxBytes} bytes as JSON` })
}
