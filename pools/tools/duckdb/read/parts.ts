import { CFB, type ParsingOptions, parse_zip, type WorkBook } from '@e965/xlsx'
import { NO_STYLES, showBareValues } from './open-document.ts'

declare module '@e965/xlsx' {
  /** Exported by the package, but missing in its types. */
  function parse_zip(parts: PackedParts, options?: ParsingOptions): WorkBook
}

interface PackedParts {
  FileIndex: { name: string; content?: Uint8Array }[]
  FullPaths: string[]
}

const MAX_SINGLE = 0xffff
const LONG_REFERENCE = /&#(?:x([\da-f]{5,8})|(\d{5,10}));/gi

/** Parses an archive of XML files, which other workbooks are not. */
export function parseParts(bytes: Uint8Array, options: ParsingOptions): WorkBook {
  const parts = CFB.read(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), { type: 'buffer' }) as PackedParts
  for (const part of parts.FileIndex) {
    if (part.content && /\.xml$/i.test(part.name)) part.content = splitReferences(part.content)
    if (part.content && /^sheet\d+\.xml$/i.test(part.name) && !options.cellText)
      part.content = markLongIntegers(part.content)
  }
  completeOpenDocument(parts)
  return parse_zip(parts, options)
}

function completeOpenDocument(parts: PackedParts): void {
  const find = (path: string) => parts.FileIndex[parts.FullPaths.indexOf(`Root Entry/${path}`)]
  const content = find('content.xml')
  if (!content?.content) return
  content.content = showBareValues(content.content)
  if (!find('styles.xml')) CFB.utils.cfb_add(parts as never, '/styles.xml', NO_STYLES)
}

/**
 * The parser keeps 16 bits of the number of a character, which makes an emoji a different character; as the two
 * halves of UTF-16 it reads it well. Programs that write ASCII refer to every such character by its number.
 */
function splitReferences(content: Uint8Array): Uint8Array {
  const xml = Buffer.from(content.buffer, content.byteOffset, content.length)
  if (!xml.includes('&#')) return content
  const text = xml.toString('latin1')
  const split = text.replace(LONG_REFERENCE, (whole, hex?: string, decimal?: string) => {
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
    if (code <= MAX_SINGLE || code > 0x10_ff_ff) return whole
    const character = String.fromCodePoint(code)
    return `&#${character.charCodeAt(0)};&#${character.charCodeAt(1)};`
  })
  return split === text ? content : Buffer.from(split, 'latin1')
}

/** Stands before the digits of an integer that the parser would round. */
export const LONG_INTEGER = '\ue000'
const LONG_CELL = /<c((?: [^<>]*)?)>(<f(?:[^<>]*\/>|[^<>]*>[^<]*<\/f>))?<v>(-?\d{16,300})<\/v>/g

/** Other programs than Excel write identifiers of nineteen digits as numbers, of which the parser keeps sixteen. */
function markLongIntegers(content: Uint8Array): Uint8Array {
  const text = Buffer.from(content.buffer, content.byteOffset, content.length).toString('latin1')
  const mark = Buffer.from(LONG_INTEGER).toString('latin1')
  const marked = text.replace(LONG_CELL, (cell, attributes: string, formula: string | undefined, digits: string) => {
    const bare = attributes.replace(' t="n"', '')
    const isKept = / t=/.test(bare) || Number.isSafeInteger(Number(digits))
    return isKept ? cell : `<c${bare} t="str">${formula ?? ''}<v>${mark}${digits}</v>`
  })
  return marked === text ? content : Buffer.from(marked, 'latin1')
}
