import {
  measureText,
  PdfArray,
  type PdfDict,
  PdfName,
  PdfNumber,
  PdfStream,
  type Standard14FontName,
} from '@libpdf/core'
import { dictOf } from './form-fields.ts'
import type { Resolve } from './pdf-view.ts'

/** How the codes of a font are cut and how wide their glyphs are, in sizes. */
export interface GlyphMetrics {
  bytesEach: 1 | 2
  width(code: number): number
}

/** Nothing where a font's codes cannot be told apart with certainty. */
export function metricsOf(font: PdfDict, resolve: Resolve): GlyphMetrics | undefined {
  const kind = font.getName('Subtype', resolve)?.value
  if (kind === 'Type0') return compositeMetrics(font, resolve)
  const widths = font.getArray('Widths', resolve)
  const first = font.getNumber('FirstChar', resolve)?.value ?? 0
  if (!widths) return standardMetrics(font.getName('BaseFont', resolve)?.value ?? '')
  const scale = kind === 'Type3' ? Math.abs(numberAt(font.getArray('FontMatrix', resolve), 0, resolve) ?? 0.001) : 0.001
  const missing = font.getDict('FontDescriptor', resolve)?.getNumber('MissingWidth', resolve)?.value ?? 0
  return { bytesEach: 1, width: code => (numberAt(widths, code - first, resolve) ?? missing) * scale }
}

const STANDARD = /^(Helvetica|Times|Courier|Symbol|ZapfDingbats)/

/** Fonts that every reader has need not say their widths. */
function standardMetrics(name: string): GlyphMetrics | undefined {
  if (!STANDARD.test(name)) return undefined
  return {
    bytesEach: 1,
    width: code => {
      try {
        return measureText(String.fromCharCode(code), name as Standard14FontName, 1)
      } catch {
        return 0.5
      }
    },
  }
}

function compositeMetrics(font: PdfDict, resolve: Resolve): GlyphMetrics | undefined {
  const encoding = font.get('Encoding', resolve)
  if (!(encoding instanceof PdfName) || encoding.value !== 'Identity-H') return undefined
  const descendant = dictOf(font.getArray('DescendantFonts', resolve)?.at(0, resolve), resolve)
  if (!descendant) return undefined
  const usual = descendant.getNumber('DW', resolve)?.value ?? 1000
  const own = widthTable(descendant.getArray('W', resolve), resolve)
  return { bytesEach: 2, width: code => (own.get(code) ?? usual) / 1000 }
}

const MOST_CODES = 65_536

/** `first [w w w]` or `first last w`. */
function widthTable(list: PdfArray | undefined, resolve: Resolve): Map<number, number> {
  const table = new Map<number, number>()
  let index = 0
  while (list && index + 1 < list.length) {
    const first = numberAt(list, index, resolve) ?? 0
    const second = list.at(index + 1, resolve)
    const isList = second instanceof PdfArray
    const last = second instanceof PdfNumber ? second.value : first
    const width = (at: number) => numberAt(isList ? second : list, isList ? at : index + 2, resolve) ?? 0
    const count = isList ? second.length : Math.min(MOST_CODES, last - first + 1)
    for (let at = 0; at < count; at += 1) table.set(first + at, width(at))
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
