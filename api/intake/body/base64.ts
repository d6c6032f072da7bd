import { Problem } from '#kit'

/**
 * Decodes base64 in either alphabet, padded or not, after an optional `data:` prefix. Node's decoder skips what it
 * does not know, so a text with foreign characters gives fewer bytes than its length promises. That is the check,
 * and it costs nothing.
 */
export function decodeBase64(text: string, field: string): Buffer {
  const content = withoutPrefix(text)
  const length = lengthWithoutPadding(content)
  const bytes = Buffer.from(content, 'base64')
  const isWhole = length % 4 !== 1 && bytes.length === Math.floor((length * 3) / 4)
  // Beyond Latin-1 the decoder reads only the low byte of each character.
  const isOneByteEach = Buffer.byteLength(content) === content.length
  if (length < 0 || !isWhole || !isOneByteEach) throw new Problem('INVALID_BASE64', { field })
  return bytes
}

/** The most bytes a text can decode to. */
export function estimateDecodedBytes(text: string): number {
  const content = withoutPrefix(text)
  return Math.floor((Math.max(0, lengthWithoutPadding(content)) * 3) / 4)
}

const PREFIX_END = ';base64,'
const PREFIX_MOST = 200

function withoutPrefix(text: string): string {
  if (!/^data:/i.test(text)) return text
  const end = text.slice(0, PREFIX_MOST).toLowerCase().indexOf(PREFIX_END)
  return end < 0 ? text : text.slice(end + PREFIX_END.length)
}

/** Negative where the padding is wrong. */
function lengthWithoutPadding(content: string): number {
  const padding = content.endsWith('==') ? 2 : content.endsWith('=') ? 1 : 0
  return padding > 0 && content.length % 4 !== 0 ? -1 : content.length - padding
}
