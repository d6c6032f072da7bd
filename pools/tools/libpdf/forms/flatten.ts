import {
  type PDF,
  type PDFPage,
  PdfArray,
  PdfDict,
  PdfName,
  PdfNumber,
  type PdfObject,
  PdfRef,
  PdfStream,
} from '@libpdf/core'
import {
  copyResources,
  formatMatrix,
  listContentStreams,
  type Matrix,
  readArea,
  readContent,
  transformPoint,
} from '../content/page-view.ts'
import { countOpenStates } from '../content/stream.ts'
import type { Resolve } from '../objects.ts'
import { readRect } from './fields.ts'

/** Draws the appearance of each field into its page and removes the form. Other annotations stay. */
export function flattenForm(pdf: PDF): void {
  const resolve: Resolve = ref => pdf.getObject(ref)
  for (const page of pdf.getPages()) flattenPage(pdf, page, resolve)
  pdf.getCatalog().delete('AcroForm')
}

function flattenPage(pdf: PDF, page: PDFPage, resolve: Resolve): void {
  const list = page.dict.getArray('Annots', resolve)
  const items = (list?.toArray() ?? []).map(item => ({ item, dict: item instanceof PdfRef ? resolve(item) : item }))
  const isWidget = (dict: unknown): dict is PdfDict =>
    dict instanceof PdfDict && dict.getName('Subtype', resolve)?.value === 'Widget'
  const widgets = items.flatMap(({ dict }) => (isWidget(dict) ? [dict] : []))
  if (widgets.length === 0) return
  const kept = items.filter(({ dict }) => !isWidget(dict)).map(({ item }) => item)
  if (kept.length > 0) page.dict.set('Annots', PdfArray.of(...kept))
  else page.dict.delete('Annots')
  const appearances = widgets.flatMap(widget => placeAppearance(widget, resolve))
  if (appearances.length === 0) return
  const { XObject } = copyResources(page, resolve, ['XObject'])
  const operators = appearances.map(({ form, matrix }, index) => {
    const name = freeName(XObject!, index)
    XObject!.set(name, form)
    return `q ${formatMatrix(matrix)} cm /${name} Do Q\n`
  })
  const closing = 'Q '.repeat(1 + countOpenStates(readContent(page, resolve)))
  const toStream = (text: string) => pdf.register(new PdfStream([], Buffer.from(text, 'latin1')))
  const before = listContentStreams(page, resolve).map(({ item }) => item)
  page.dict.set('Contents', PdfArray.of(toStream('q\n'), ...before, toStream(`\n${closing}\n${operators.join('')}`)))
}

function freeName(dict: PdfDict, from: number): string {
  for (let number = from; ; number += 1) if (!dict.has(`Field${number}`)) return `Field${number}`
}

const HIDDEN_FLAG = 2
const NO_VIEW_FLAG = 32

/** The current appearance of a widget, and the matrix that moves it into the widget's rectangle. */
function placeAppearance(widget: PdfDict, resolve: Resolve): { form: PdfObject; matrix: Matrix }[] {
  const flags = widget.getNumber('F', resolve)?.value ?? 0
  const rect = readRect(widget, resolve)
  const appearance = currentAppearance(widget, resolve)
  const form = appearance instanceof PdfRef ? resolve(appearance) : appearance
  const box = form instanceof PdfStream ? readArea(form.get('BBox', resolve), resolve) : undefined
  if (!rect || flags & (HIDDEN_FLAG | NO_VIEW_FLAG) || !appearance || !box || !(form instanceof PdfStream)) return []
  form.set('Type', PdfName.of('XObject'))
  form.set('Subtype', PdfName.of('Form'))
  const corners = [
    [box.x, box.y],
    [box.x + box.width, box.y],
    [box.x, box.y + box.height],
    [box.x + box.width, box.y + box.height],
  ].map(([x, y]) => transformPoint(readMatrix(form, resolve), x!, y!))
  const xs = corners.map(([x]) => x)
  const ys = corners.map(([, y]) => y)
  const [left, bottom] = [Math.min(...xs), Math.min(...ys)]
  const scaleX = (rect[2] - rect[0]) / (Math.max(...xs) - left || 1)
  const scaleY = (rect[3] - rect[1]) / (Math.max(...ys) - bottom || 1)
  return [{ form: appearance, matrix: [scaleX, 0, 0, scaleY, rect[0] - left * scaleX, rect[1] - bottom * scaleY] }]
}

/** The only appearance, or that of the state the widget is in. */
function currentAppearance(widget: PdfDict, resolve: Resolve): PdfObject | undefined {
  const normal = widget.getDict('AP', resolve)?.get('N')
  const found = normal instanceof PdfRef ? resolve(normal) : normal
  if (found instanceof PdfStream) return normal
  const state = widget.getName('AS', resolve)?.value
  return state !== undefined && found instanceof PdfDict ? found.get(state) : undefined
}

function readMatrix(form: PdfStream, resolve: Resolve): Matrix {
  const values = [0, 1, 2, 3, 4, 5].map(index => form.getArray('Matrix', resolve)?.at(index, resolve))
  if (!values.every(value => value instanceof PdfNumber)) return [1, 0, 0, 1, 0, 0]
  return values.map(value => value.value) as unknown as Matrix
}
