import { type PDF, PdfArray, PdfDict, PdfName, type PdfRef, PdfStream } from '@libpdf/core'
import type { Drawing } from '../../../../tasks/formats/pdf/report.ts'
import {
  copyResources,
  formatMatrix,
  listContentStreams,
  numberArray,
  pageAt,
  readContent,
  readPageView,
} from '../content/page-view.ts'
import { countOpenStates } from '../content/stream.ts'
import type { Resolve } from '../objects.ts'
import { type DrawingContext, renderDrawing, type TextOptions } from './drawings.ts'

export interface PlannedField {
  /** From 1. */
  page: number
  /** Per cent of the page as displayed, from its top left. */
  x: number
  y: number
  w: number
  h: number
  font?: TextOptions
  drawing: Drawing
}

export type OpenImage = DrawingContext['openImage']

/** Draws what was filled in over the pages, upright as they are displayed. What stands there stays as it is. */
export function drawFields(
  pdf: PDF,
  fields: readonly PlannedField[],
  context: Pick<DrawingContext, 'fonts' | 'openImage'>,
): void {
  for (const number of new Set(fields.map(({ page }) => page)))
    drawOnPage(
      pdf,
      number,
      fields.filter(({ page }) => page === number),
      context,
    )
}

function drawOnPage(
  pdf: PDF,
  number: number,
  fields: readonly PlannedField[],
  context: Pick<DrawingContext, 'fonts' | 'openImage'>,
): void {
  const resolve: Resolve = ref => pdf.getObject(ref)
  const page = pageAt(pdf, number)
  const { width, height, toPage } = readPageView(page, resolve)
  const form = openForm(pdf, width, height, context)
  const operators = fields.map(({ x, y, w, h, font = {}, drawing }) => {
    const area = { x: (x / 100) * width, y: height - ((y + h) / 100) * height, ...scale(w, h, width, height) }
    return renderDrawing(drawing, area, font, form.context)
  })
  const { XObject } = copyResources(page, resolve, ['XObject'])
  const name = freeName(XObject!)
  XObject!.set(name, form.close(operators.join('')))
  const toStream = (text: string) => pdf.register(new PdfStream([], Buffer.from(text, 'latin1')))
  const before = listContentStreams(page, resolve).map(({ item }) => item)
  const closing = 'Q '.repeat(1 + countOpenStates(readContent(page, resolve)))
  const drawing = `\n${closing}\nq ${formatMatrix(toPage)} cm /${name} Do Q\n`
  page.dict.set('Contents', PdfArray.of(toStream('q\n'), ...before, toStream(drawing)))
}

function scale(w: number, h: number, width: number, height: number) {
  return { width: (w / 100) * width, height: (h / 100) * height }
}

function freeName(objects: PdfDict): string {
  let number = 1
  while (objects.has(`Filled${number}`)) number += 1
  return `Filled${number}`
}

/** A form has resources of its own, so that no name is in the way of one of the page. */
export function openForm(
  pdf: PDF,
  width: number,
  height: number,
  context: Pick<DrawingContext, 'fonts' | 'openImage'>,
): { context: DrawingContext; close(content: string): PdfRef } {
  const [usedFonts, usedImages] = [new PdfDict(), new PdfDict()]
  return {
    context: { ...context, usedFonts, usedImages },
    close(content) {
      const entries = {
        Type: PdfName.of('XObject'),
        Subtype: PdfName.of('Form'),
        BBox: numberArray(0, 0, width, height),
        Resources: PdfDict.of({ Font: usedFonts, XObject: usedImages }),
      }
      return pdf.register(PdfStream.fromDict(entries, Buffer.from(content, 'latin1')))
    },
  }
}
