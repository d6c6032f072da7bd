import { isUtf8 } from 'node:buffer'

/** Whether bytes are UTF-8 without control characters. A head may end in the middle of a character. */
export function isText(head: Buffer, isWhole: boolean): boolean {
  const characters = isWhole ? head : head.subarray(0, findLastCharacterEnd(head))
  return isUtf8(characters) && !hasControlCharacters(characters)
}

function findLastCharacterEnd(bytes: Buffer): number {
  let end = bytes.length
  while (end > 0 && end > bytes.length - 4 && (bytes[end - 1]! & 0xc0) === 0x80) end--
  return end > 0 && bytes[end - 1]! >= 0xc0 ? end - 1 : bytes.length
}

function hasControlCharacters(bytes: Buffer): boolean {
  for (const byte of bytes) {
    if (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d && byte !== 0x0c) return true
  }
  return false
}

/** The types of which any text may be. */
export const PLAIN_TEXT_TYPES = [
  'text/plain',
  'text/csv',
  'text/tab-separated-values',
  'text/markdown',
  'text/calendar',
  'text/vcard',
]

interface TextTypes {
  /** The possible types, the likeliest first. */
  types: string[]
  /** Whether the beginning rules out all other types; `{` may also begin prose. */
  isCertain: boolean
}

/** Recognises markup and JSON by how a text begins. */
export function recogniseText(text: string): TextTypes {
  const start = text.replace(/^\ufeff/, '').trimStart()
  const root = skipProlog(start)
  if (/^<svg[\s/>]/i.test(root)) return certain('image/svg+xml', 'application/xml', 'text/xml', 'text/plain')
  if (/^<(html|head|body)[\s/>]/i.test(root) || /^<!doctype html/i.test(start))
    return certain('text/html', 'text/plain')
  if (start.startsWith('<?xml')) return certain('application/xml', 'text/xml', 'text/plain')
  if (/^[[{]/.test(start)) return uncertain('application/json', 'application/x-ndjson')
  if (/^<[a-z!]/i.test(start)) return uncertain('text/html', 'application/xml', 'text/xml')
  return uncertain()
}

const BYTE_ORDER_MARKS: [mark: string, encoding: string][] = [
  ['\xff\xfe', 'utf-16le'],
  ['\xfe\xff', 'utf-16be'],
]

/** Recognises markup in UTF-16 with a byte order mark, or in a charset in which ASCII characters are single bytes. */
export function recogniseLegacyMarkup(head: Buffer): string[] {
  const start = head.toString('latin1', 0, 2)
  const encoding = BYTE_ORDER_MARKS.find(([mark]) => mark === start)?.[1]
  if (!encoding && hasControlCharacters(Buffer.from(head.filter(byte => byte !== ESCAPE)))) return []
  const { types } = recogniseText(new TextDecoder(encoding ?? 'latin1').decode(head))
  return types.filter(type => MARKUP_TYPES.has(type))
}

/** ISO-2022 charsets change the alphabet with it. */
const ESCAPE = 0x1b
const MARKUP_TYPES = new Set(['image/svg+xml', 'text/html', 'application/xml', 'text/xml'])

function certain(...types: string[]): TextTypes {
  return { types, isCertain: true }
}

function uncertain(...types: string[]): TextTypes {
  return { types: [...types, ...PLAIN_TEXT_TYPES], isCertain: false }
}

const MAX_PROLOG_PARTS = 20
const PROLOG_PARTS = [
  ['<?', '?>'],
  ['<!--', '-->'],
  ['<!doctype svg', '>'],
] as const

/** Skips declarations and comments before the root element, by index, so that no input makes it slow. */
function skipProlog(text: string): string {
  let rest = text
  for (let part = 0; part < MAX_PROLOG_PARTS; part++) {
    const end = PROLOG_PARTS.find(([start]) => rest.slice(0, start.length).toLowerCase() === start)?.[1]
    const at = end === undefined ? -1 : rest.indexOf(end)
    if (end === undefined || at < 0) return rest
    rest = rest.slice(at + end.length).trimStart()
  }
  return rest
}
