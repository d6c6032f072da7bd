import { readFile } from 'node:fs/promises'
import { PDF, type PDFPage, PdfArray, PdfDict, PdfName, PdfNumber, type PdfRef, PdfStream } from '@libpdf/core'
import type { Rect } from '../../../../tasks/formats/geometry/rect.ts'
import { formatNumber } from '../content/embedded-fonts.ts'
import {
  formatMatrix,
  invertMatrix,
  type Matrix,
  numberArray,
  type PageView,
  readPageView,
} from '../content/page-view.ts'
import { registerPageForm } from './page-form.ts'

interface MarkedPage {
  /** From 1. */
  page: number
  /** In points from the top left corner of the page as displayed. */
  marks: readonly Rect[]
}

export interface ComparisonPlan {
  rows: readonly { a: MarkedPage | null; b: MarkedPage | null; regions: readonly Rect[] }[]
}

/** A page as a form that other pages can draw. */
interface PageForm {
  ref: PdfRef
  view: PageView
}

const GAP = 12
const MARGIN = 12
const COLORS = {
  a: '1 0.45 0.45',
  b: '0.4 0.9 0.45',
  region: '1 0.6 0',
  frame: '0.75 0.75 0.75',
  back: '0.93 0.93 0.93',
}

/** Draws the pages of two documents side by side, with what was deleted marked red and what was inserted marked green. */
export async function drawComparison(files: string[], { rows }: ComparisonPlan): Promise<{ bytes: Uint8Array }> {
  const pdf = PDF.create()
  const [a, b] = [
    await copyForms(pdf, files[0]!, listPages(rows.map(row => row.a))),
    await copyForms(pdf, files[1]!, listPages(rows.map(row => row.b))),
  ]
  while (pdf.getPageCount() > 0) pdf.removePage(0)
  for (const row of rows) {
    const [left, right] = [row.a && a.get(row.a.page)!, row.b && b.get(row.b.page)!]
    const width = Math.max(left?.view.width ?? 0, right?.view.width ?? 0)
    const height = Math.max(left?.view.height ?? 0, right?.view.height ?? 0)
    const size = { width: 2 * width + GAP + 2 * MARGIN, height: height + 2 * MARGIN }
    const place = (form: PageForm, x: number): Matrix => [1, 0, 0, 1, x, MARGIN + height - form.view.height]
    const parts = [`q ${COLORS.back} rg 0 0 ${formatNumber(size.width)} ${formatNumber(size.height)} re f Q`]
    if (left) parts.push(drawSide('A', left, place(left, MARGIN), { ...row.a!, regions: row.regions, color: COLORS.a }))
    if (right) {
      const at = place(right, MARGIN + width + GAP)
      parts.push(drawSide('B', right, at, { ...row.b!, regions: row.regions, color: COLORS.b }))
    }
    addPage(pdf, size, parts.join('\n'), { A: left?.ref, B: right?.ref })
  }
  return { bytes: await pdf.save() }
}

function listPages(sides: readonly (MarkedPage | null)[]): number[] {
  return [...new Set(sides.flatMap(side => (side ? [side.page] : [])))]
}

/** Copies pages together, so that they share their fonts and images, and makes forms of them. */
async function copyForms(pdf: PDF, file: string, pages: readonly number[]): Promise<Map<number, PageForm>> {
  const source = await PDF.load(await readFile(file))
  const indexes = pages.map(page => page - 1)
  const views = indexes.map(index => readPageView(source.getPage(index)!, ref => source.getObject(ref)))
  const copies = await pdf.copyPagesFrom(source, indexes, { includeAnnotations: false })
  const toForm = (page: PDFPage, index: number): PageForm => ({ ref: registerPageForm(pdf, page), view: views[index]! })
  return new Map(copies.map((page, index) => [pages[index]!, toForm(page, index)]))
}

function drawSide(
  name: string,
  { view }: PageForm,
  place: Matrix,
  { marks, regions, color }: { marks: readonly Rect[]; regions: readonly Rect[]; color: string },
): string {
  const frame = `0 0 ${formatNumber(view.width)} ${formatNumber(view.height)} re`
  const toRectangle = ([left, top, right, bottom]: Rect, spread: number) => {
    const sides = [left - spread, view.height - bottom - spread, right - left + 2 * spread, bottom - top + 2 * spread]
    return `${sides.map(formatNumber).join(' ')} re`
  }
  const matrix = formatMatrix(invertMatrix(view.toPage)!)
  return [
    `q ${formatMatrix(place)} cm`,
    `q 1 1 1 rg ${frame} f Q q ${frame} W n q ${matrix} cm /${name} Do Q`,
    `/Mark gs ${color} rg ${marks.map(mark => `${toRectangle(mark, 1)} f`).join(' ')}`,
    `${COLORS.region} RG 1 w ${regions.map(region => `${toRectangle(region, 1)} S`).join(' ')} Q`,
    `${COLORS.frame} RG 0.5 w ${frame} S Q`,
  ].join('\n')
}

function addPage(
  pdf: PDF,
  size: { width: number; height: number },
  content: string,
  forms: Record<string, PdfRef | undefined>,
): void {
  const page = pdf.addPage(size)
  const drawn = Object.entries(forms).filter((entry): entry is [string, PdfRef] => entry[1] !== undefined)
  const state = { Type: PdfName.of('ExtGState'), ca: PdfNumber.of(1), BM: PdfName.of('Multiply') }
  page.dict.set('Type', PdfName.of('Page'))
  page.dict.set('MediaBox', numberArray(0, 0, size.width, size.height))
  page.dict.set('Group', PdfDict.of({ S: PdfName.of('Transparency'), CS: PdfName.of('DeviceRGB') }))
  page.dict.set(
    'Resources',
    PdfDict.of({
      XObject: PdfDict.of(Object.fromEntries(drawn)),
      ExtGState: PdfDict.of({ Mark: PdfDict.of(state) }),
    }),
  )
  page.dict.set('Contents', PdfArray.of(pdf.register(new PdfStream([], Buffer.from(content, 'latin1')))))
}
