import { isUtf8 } from 'node:buffer'
import { fileTypeFromBuffer } from 'file-type'

/** How much of a file's beginning is looked at. */
export const HEAD_BYTES = 16 * 1024
const PDF_WITHIN = 1024
const UNKNOWN = 'application/octet-stream'

/**
 * The types a file may be taken for by its content, the likeliest first. Bytes have one; text may have several, because
 * nothing tells a small CSV from prose.
 */
export async function sniff(head: Buffer, isWhole: boolean): Promise<string[]> {
  const found = await fileTypeFromBuffer(head)
  const type = found && typeNames[found.mime]
  if (found && !XML.has(found.mime)) return [type ?? found.mime]
  const types = head.subarray(0, PDF_WITHIN + 4).includes('%PDF-') ? ['application/pdf'] : []
  if (isText(head, isWhole)) types.push(...textTypes(head.toString('utf8')))
  return types.length > 0 ? types : [UNKNOWN]
}

/** The same of what came as text, which stays text whatever stands in it. */
export async function sniffText(head: Buffer): Promise<string[]> {
  const types = await sniff(head, true)
  return types[0] === UNKNOWN ? PLAIN : types
}

const XML = new Set(['application/xml', 'text/xml'])

/** Names under which operations know what the detector names otherwise. */
const typeNames: Record<string, string | undefined> = { 'image/apng': 'image/png' }

/** Text is UTF-8 without control characters; a letter cut in two at the end of the head does not count. */
function isText(head: Buffer, isWhole: boolean): boolean {
  const whole = isWhole ? head : head.subarray(0, lastLetterEnd(head))
  return isUtf8(whole) && !hasControls(whole)
}

function lastLetterEnd(bytes: Buffer): number {
  let end = bytes.length
  while (end > 0 && end > bytes.length - 4 && (bytes[end - 1]! & 0xc0) === 0x80) end--
  return end > 0 && bytes[end - 1]! >= 0xc0 ? end - 1 : bytes.length
}

function hasControls(bytes: Buffer): boolean {
  for (const byte of bytes) {
    if (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d && byte !== 0x0c) return true
  }
  return false
}

const PLAIN = ['text/plain', 'text/csv', 'text/tab-separated-values', 'text/markdown', 'text/calendar', 'text/vcard']

function textTypes(head: string): string[] {
  const start = head.replace(/^\ufeff/, '').trimStart()
  const bare = withoutComments(start)
  if (/^<svg[\s>]/i.test(bare)) return ['image/svg+xml', 'application/xml', 'text/xml', 'text/plain']
  if (/^<(html|head|body)[\s>]/i.test(bare) || /^<!doctype html/i.test(start)) return ['text/html', 'text/plain']
  if (start.startsWith('<?xml')) return ['application/xml', 'text/xml', 'text/plain']
  if (/^[[{]/.test(start)) return ['application/json', 'application/x-ndjson', ...PLAIN]
  if (/^<[a-z!]/i.test(start)) return ['text/html', 'application/xml', 'text/xml', ...PLAIN]
  return PLAIN
}

/** What may stand before the root of a document; cut by index, so that no input makes it slow. */
function withoutComments(text: string): string {
  let rest = text
  for (let round = 0; round < 20; round++) {
    const end = ENDS.find(([start]) => rest.slice(0, start.length).toLowerCase() === start)?.[1]
    const at = end === undefined ? -1 : rest.indexOf(end)
    if (end === undefined || at < 0) return rest
    rest = rest.slice(at + end.length).trimStart()
  }
  return rest
}

const ENDS = [
  ['<?', '?>'],
  ['<!--', '-->'],
  ['<!doctype svg', '>'],
] as const

/** The first of `types` that a rule takes. */
export function acceptedType(types: readonly string[], accept: readonly string[]): string | undefined {
  return types.find(type => accept.some(pattern => matches(type, pattern)))
}

function matches(type: string, pattern: string): boolean {
  if (pattern === '*/*' || pattern === type) return true
  return pattern.endsWith('/*') && type.startsWith(pattern.slice(0, -1))
}
