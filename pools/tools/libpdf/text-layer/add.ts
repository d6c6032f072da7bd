import { readFile } from 'node:fs/promises'
import { PDF, PdfArray, PdfDict, PdfName, PdfNumber, type PdfRef, PdfStream, PdfString } from '@libpdf/core'
import type { PlacedWord } from '../../../../tasks/formats/ocr/placed-word.ts'
import {
  copyResources,
  formatMatrix,
  type Matrix,
  multiplyMatrices,
  type PageView,
  pageAt,
  readPageView,
} from '../content/page-view.ts'
import type { Resolve } from '../objects.ts'

// Words are invisible text before the content of the page, in one font without outlines whose codes are UTF-16, turned
// by the angle of the scan. What the page draws is not touched.

export interface TextLayerPlan {
  pages: readonly { page: number; words: readonly PlacedWord[] }[]
}

const FONT_NAME = 'InvisibleText'
/** Every character is half as wide as the font is high, before it is scaled to the width of its word. */
const CHARACTER_WIDTH = 500

/**
 * Puts invisible words under the content of pages, where a scan shows them, so that they can be found and copied. What
 * the pages draw is not touched. Nothing draws the words, so the font needs no outlines.
 */
export async function addTextLayer([file]: string[], { pages }: TextLayerPlan): Promise<{ bytes: Uint8Array }> {
  const pdf = await PDF.load(await readFile(file!))
  const resolve: Resolve = ref => pdf.getObject(ref)
  const font = registerFont(pdf)
  for (const { page: number, words } of pages) {
    if (words.length === 0) continue
    const page = pageAt(pdf, number)
    const view = readPageView(page, resolve)
    const text = words.map(word => renderWord(word, view)).join('')
    const content = `q ${formatMatrix(view.toPage)} cm BT 3 Tr\n${text}ET Q\n`
    copyResources(page, resolve, ['Font']).Font!.set(FONT_NAME, font)
    const present = page.dict.get('Contents', resolve)
    const given = present instanceof PdfArray ? present.toArray() : [page.dict.get('Contents')]
    const layer = pdf.register(new PdfStream([], Buffer.from(content, 'latin1')))
    page.dict.set('Contents', PdfArray.of(layer, ...given.filter(item => item !== undefined)))
  }
  return { bytes: await pdf.save({ incremental: true }) }
}

/** The matrix of the text turns the word around its lower left corner, and its size and scale fill the box. */
function renderWord({ text, x, y, width, height, angle }: PlacedWord, view: PageView): string {
  const units = toVisualOrder(text)
  const size = Math.max(1, height)
  const scale = (width * 100 * 1000) / (units.length * CHARACTER_WIDTH * size)
  const [sine, cosine] = [Math.sin(-angle), Math.cos(-angle)]
  const turned: Matrix = [cosine, sine, -sine, cosine, 0, 0]
  // The baseline is about a fifth of the height above the lower edge.
  const raised: Matrix = [1, 0, 0, 1, 0, size * 0.2]
  const matrix = multiplyMatrices(multiplyMatrices(raised, turned), [1, 0, 0, 1, x, view.height - y])
  const codes = Buffer.from(units, 'utf16le').swap16().toString('hex')
  return `/${FONT_NAME} ${round(size)} Tf ${round(scale)} Tz ${formatMatrix(matrix)} Tm <${codes}> Tj\n`
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}

const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}]/u
const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' })

/** Readers expect the characters of a page from left to right. */
function toVisualOrder(text: string): string {
  if (!RIGHT_TO_LEFT.test(text)) return text
  return [...graphemes.segment(text)]
    .reverse()
    .map(({ segment }) => segment)
    .join('')
}

const MAX_CODES = 65_536

function registerFont(pdf: PDF): PdfRef {
  const name = PdfName.of(FONT_NAME)
  const descriptor = PdfDict.of({
    Type: PdfName.of('FontDescriptor'),
    FontName: name,
    Flags: PdfNumber.of(5),
    FontBBox: PdfArray.of(...[0, -200, CHARACTER_WIDTH, 800].map(value => PdfNumber.of(value))),
    ItalicAngle: PdfNumber.of(0),
    Ascent: PdfNumber.of(800),
    Descent: PdfNumber.of(-200),
    CapHeight: PdfNumber.of(800),
    StemV: PdfNumber.of(80),
  })
  const descendant = PdfDict.of({
    Type: PdfName.of('Font'),
    Subtype: PdfName.of('CIDFontType2'),
    BaseFont: name,
    CIDSystemInfo: PdfDict.of({
      Registry: PdfString.fromString('Adobe'),
      Ordering: PdfString.fromString('Identity'),
      Supplement: PdfNumber.of(0),
    }),
    FontDescriptor: pdf.register(descriptor),
    DW: PdfNumber.of(CHARACTER_WIDTH),
    CIDToGIDMap: pdf.register(new PdfStream([], Buffer.alloc(MAX_CODES * 2))),
  })
  return pdf.register(
    PdfDict.of({
      Type: PdfName.of('Font'),
      Subtype: PdfName.of('Type0'),
      BaseFont: name,
      Encoding: PdfName.of('Identity-H'),
      DescendantFonts: PdfArray.of(pdf.register(descendant)),
      ToUnicode: pdf.register(new PdfStream([], Buffer.from(UNICODE_MAP))),
    }),
  )
}

/** The codes are UTF-16 themselves. */
const UNICODE_MAP = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap
/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def
/CMapName /Adobe-Identity-UCS def /CMapType 2 def
1 begincodespacerange <0000> <ffff> endcodespacerange
1 beginbfrange <0000> <ffff> <0000> endbfrange
endcmap CMapName currentdict /CMap defineresource pop end end`
