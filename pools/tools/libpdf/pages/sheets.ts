import { readFile } from 'node:fs/promises'
import { PDF, type PDFPage, PdfArray, PdfDict, PdfName, PdfNumber, type PdfRef, PdfStream } from '@libpdf/core'
import { formatNumber } from '../content/embedded-fonts.ts'
import {
  formatMatrix,
  invertMatrix,
  multiplyMatrices,
  numberArray,
  type PageView,
  pageAt,
  readPageView,
} from '../content/page-view.ts'
import { registerPageForm } from './page-form.ts'

export interface SheetsPlan {
  /** The pages of each sheet, from 1, row by row from the top left; null leaves a place empty. */
  sheets: readonly (readonly (number | null)[])[]
  columns: number
  rows: number
  /** Points. */
  size: readonly [width: number, height: number]
  margin: number
  gap: number
  /** Draw a thin line around each page. */
  hasBorder: boolean
}

interface Place {
  x: number
  y: number
  width: number
  height: number
}

/** Entries of the catalog that refer to the pages as they were. */
const PAGE_ENTRIES = [
  ...['AA', 'AcroForm', 'Dests', 'DSS', 'MarkInfo', 'OpenAction', 'Outlines', 'PageLabels', 'PageMode', 'Perms'],
  ...['StructTreeRoot', 'Threads'],
]

/** Replaces the pages by sheets, each of which shows several of them. Document properties, layers and attachments stay. */
export async function arrangeSheets([file]: string[], plan: SheetsPlan): Promise<{ bytes: Uint8Array }> {
  const pdf = await PDF.load(await readFile(file!))
  const resolve = (ref: PdfRef) => pdf.getObject(ref)
  const tree = PdfDict.of({ Type: PdfName.of('Pages') })
  const parent = pdf.register(tree)
  const forms = new Map<number, { ref: PdfRef; view: PageView }>()
  const toForm = (number: number) => {
    const page: PDFPage = pageAt(pdf, number)
    const form = forms.get(number) ?? { ref: registerPageForm(pdf, page), view: readPageView(page, resolve) }
    forms.set(number, form)
    return form
  }
  const sheets = plan.sheets.map(numbers => {
    const places = listPlaces(plan)
    const shown = numbers.flatMap((number, index) =>
      number === null ? [] : [{ ...toForm(number), place: places[index]!, name: `Page${index}` }],
    )
    const content = shown.map(({ name, view, place }) => drawPage(name, view, place, plan)).join('\n')
    const drawn = Object.fromEntries(shown.map(({ name, ref }) => [name, ref]))
    return pdf.register(buildSheet(pdf, parent, { size: plan.size, content, drawn }))
  })
  tree.set('Kids', PdfArray.of(...sheets))
  tree.set('Count', PdfNumber.of(sheets.length))
  const catalog = pdf.getCatalog()
  catalog.set('Pages', parent)
  for (const entry of PAGE_ENTRIES) catalog.delete(entry)
  catalog.getDict('Names', resolve)?.delete('Dests')
  return { bytes: await pdf.save() }
}

function listPlaces({ columns, rows, size, margin, gap }: SheetsPlan): Place[] {
  const width = (size[0] - 2 * margin - (columns - 1) * gap) / columns
  const height = (size[1] - 2 * margin - (rows - 1) * gap) / rows
  return Array.from({ length: columns * rows }, (_, index) => ({
    x: margin + (index % columns) * (width + gap),
    y: size[1] - margin - (Math.floor(index / columns) + 1) * height - Math.floor(index / columns) * gap,
    width,
    height,
  }))
}

/** The page fits into its place, in the middle of it. */
function drawPage(name: string, view: PageView, place: Place, { hasBorder }: SheetsPlan): string {
  const scale = Math.min(place.width / view.width, place.height / view.height)
  const [width, height] = [view.width * scale, view.height * scale]
  const [x, y] = [place.x + (place.width - width) / 2, place.y + (place.height - height) / 2]
  const frame = `${[x, y, width, height].map(formatNumber).join(' ')} re`
  const matrix = multiplyMatrices(invertMatrix(view.toPage)!, [scale, 0, 0, scale, x, y])
  const border = hasBorder ? `\nq 0.5 G 0.5 w ${frame} S Q` : ''
  return `q ${frame} W n ${formatMatrix(matrix)} cm /${name} Do Q${border}`
}

function buildSheet(
  pdf: PDF,
  parent: PdfRef,
  { size, content, drawn }: { size: SheetsPlan['size']; content: string; drawn: Record<string, PdfRef> },
): PdfDict {
  return PdfDict.of({
    Type: PdfName.of('Page'),
    Parent: parent,
    MediaBox: numberArray(0, 0, ...size),
    Resources: PdfDict.of({ XObject: PdfDict.of(drawn) }),
    Contents: pdf.register(new PdfStream([], Buffer.from(content, 'latin1'))),
  })
}
