import {
  measureText,
  PdfArray,
  type PdfDict,
  PdfName,
  PdfNumber,
  PdfStream,
  type Standard14FontName,
} from '@libpdf/core'
import { type Resolve, resolveDict } from '../objects.ts'

/** The length of the codes of a font, and the widths of its glyphs relative to the font size. */
export interface GlyphMetrics {
  bytesPerCode: 1 | 2
  width(code: number): number
}

/** Returns undefined if the codes of the font cannot be separated with certainty. */
export function readGlyphMetrics(font: PdfDict, resolve: Resolve): GlyphMetrics | undefined {
  const kind = font.getName('Subtype', resolve)?.value
  if (kind === 'Type0') return readCompositeMetrics(font, resolve)
  const widths = font.getArray('Widths', resolve)
  const first = font.getNumber('FirstChar', resolve)?.value ?? 0
  if (!widths) return measureStandardFont(font.getName('BaseFont', resolve)?.value ?? '')
  const scale = kind === 'Type3' ? Math.abs(numberAt(font.getArray('FontMatrix', resolve), 0, resolve) ?? 0.001) : 0.001
  const missingWidth = font.getDict('FontDescriptor', resolve)?.getNumber('MissingWidth', resolve)?.value ?? 0
  return { bytesPerCode: 1, width: code => (numberAt(widths, code - first, resolve) ?? missingWidth) * scale }
}

const STANDARD_FONTS = /^(Helvetica|Times|Courier|Symbol|ZapfDingbats)/

/** Fonts that every viewer has may omit their widths. */
function measureStandardFont(name: string): GlyphMetrics | undefined {
  if (!STANDARD_FONTS.test(name)) return undefined
  return {
    bytesPerCode: 1,
    width: code => {
      try {
        return measureText(String.fromCharCode(code), name as Standard14FontName, 1)
      } catch {
        return 0.5
      }
    },
  }
}

function readCompositeMetrics(font: PdfDict, resolve: Resolve): GlyphMetrics | undefined {
  const encoding = font.get('Encoding', resolve)
  if (!(encoding instanceof PdfName) || encoding.value !== 'Identity-H') return undefined
  const descendant = resolveDict(font.getArray('DescendantFonts', resolve)?.at(0, resolve), resolve)
  if (!descendant) return undefined
  const defaultWidth = descendant.getNumber('DW', resolve)?.value ?? 1000
  const widths = readWidths(descendant.getArray('W', resolve), resolve)
  return { bytesPerCode: 2, width: code => (widths.get(code) ?? defaultWidth) / 1000 }
}

const MAX_CODES = 65_536

/** The table has entries of two forms: `first [w w w]` and `first last w`. */
function readWidths(list: PdfArray | undefined, resolve: Resolve): Map<number, number> {
  const table = new Map<number, number>()
  let index = 0
  while (list && index + 1 < list.length) {
    const first = numberAt(list, index, resolve) ?? 0
    const second = list.at(index + 1, resolve)
    const isList = second instanceof PdfArray
    const last = second instanceof PdfNumber ? second.value : first
    const width = (position: number) => numberAt(isList ? second : list, isList ? position : index + 2, resolve) ?? 0
    const count = isList ? second.length : Math.min(MAX_CODES, last - first + 1)
    for (let position = 0; position < count; position += 1) table.set(first + position, width(position))
    index += isList ? 2 : 3
  }
  return table
}

export function numberAt(list: PdfArray | undefined, index: number, resolve: Resolve): number | undefined {
  const value = index >= 0 ? list?.at(index, resolve) : undefined
  return value instanceof PdfNumber ? value.value : undefined
}

export function isForm(stream: unknown): stream is PdfStream {
  return stream instanceof PdfStream && stream.getName('Subtype')?.value === 'Form'
}
