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
