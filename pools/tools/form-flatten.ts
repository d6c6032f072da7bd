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
import { rectOf } from './form-fields.ts'
import { openStates } from './pdf-content.ts'
import {
  boxOf,
  contentBytes,
  contentsOf,
  type Matrix,
  matrixText,
  moved,
  ownResources,
  type Resolve,
} from './pdf-view.ts'

/** Makes what the fields show part of the pages and takes the form away; other annotations stay. */
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
  const shown = widgets.flatMap(widget => looksOf(widget, resolve))
  if (shown.length === 0) return
  const { XObject } = ownResources(page, resolve, ['XObject'])
  const drawn = shown.map(({ form, matrix }, index) => {
    const name = freeName(XObject!, index)
    XObject!.set(name, form)
    return `q ${matrixText(matrix)} cm /${name} Do Q\n`
  })
  const closing = 'Q '.repeat(1 + openStates(contentBytes(page, resolve)))
  const streamOf = (text: string) => pdf.register(new PdfStream([], Buffer.from(text, 'latin1')))
  const before = contentsOf(page, resolve).map(({ item }) => item)
  page.dict.set('Contents', PdfArray.of(streamOf('q\n'), ...before, streamOf(`\n${closing}\n${drawn.join('')}`)))
}

function freeName(dict: PdfDict, from: number): string {
  for (let number = from; ; number += 1) if (!dict.has(`Field${number}`)) return `Field${number}`
}

const HIDDEN = 2
const NO_VIEW = 32

/** The looks of a widget as they are now, and the matrix that puts them where the widget is. */
function looksOf(widget: PdfDict, resolve: Resolve): { form: PdfObject; matrix: Matrix }[] {
  const flags = widget.getNumber('F', resolve)?.value ?? 0
  const rect = rectOf(widget, resolve)
  const chosen = chosenLooks(widget, resolve)
  const form = chosen instanceof PdfRef ? resolve(chosen) : chosen
  const box = form instanceof PdfStream ? boxOf(form.get('BBox', resolve), resolve) : undefined
  if (!rect || flags & (HIDDEN | NO_VIEW) || !chosen || !box || !(form instanceof PdfStream)) return []
  form.set('Type', PdfName.of('XObject'))
  form.set('Subtype', PdfName.of('Form'))
  const corners = [
    [box.x, box.y],
    [box.x + box.width, box.y],
    [box.x, box.y + box.height],
    [box.x + box.width, box.y + box.height],
  ].map(([x, y]) => moved(matrixOf(form, resolve), x!, y!))
  const across = corners.map(([x]) => x)
  const up = corners.map(([, y]) => y)
  const [left, bottom] = [Math.min(...across), Math.min(...up)]
  const wide = (rect[2] - rect[0]) / (Math.max(...across) - left || 1)
  const high = (rect[3] - rect[1]) / (Math.max(...up) - bottom || 1)
  return [{ form: chosen, matrix: [wide, 0, 0, high, rect[0] - left * wide, rect[1] - bottom * high] }]
}

/** The one there is, or that of the state the widget is in. */
function chosenLooks(widget: PdfDict, resolve: Resolve): PdfObject | undefined {
  const normal = widget.getDict('AP', resolve)?.get('N')
  const found = normal instanceof PdfRef ? resolve(normal) : normal
  if (found instanceof PdfStream) return normal
  const state = widget.getName('AS', resolve)?.value
  return state !== undefined && found instanceof PdfDict ? found.get(state) : undefined
}

function matrixOf(form: PdfStream, resolve: Resolve): Matrix {
  const values = [0, 1, 2, 3, 4, 5].map(index => form.getArray('Matrix', resolve)?.at(index, resolve))
  if (!values.every(value => value instanceof PdfNumber)) return [1, 0, 0, 1, 0, 0]
  return values.map(value => value.value) as unknown as Matrix
}
