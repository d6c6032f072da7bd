import { readFile } from 'node:fs/promises'
import { PDF, type PdfRef } from '@libpdf/core'
import type { Rect } from '../../../../tasks/formats/geometry/rect.ts'
import { pageAt, readPageView, transformBox } from '../content/page-view.ts'

export interface CropPlan {
  /** What stays visible of each page, in points from the top left corner of the page as displayed. */
  crops: readonly { page: number; box: Rect }[]
}

/** Limits what is visible of pages. Existing bytes of the file do not change, so nothing is removed. */
export async function cropPages([file]: string[], { crops }: CropPlan): Promise<{ bytes: Uint8Array }> {
  const pdf = await PDF.load(await readFile(file!))
  const resolve = (ref: PdfRef) => pdf.getObject(ref)
  for (const { page: number, box } of crops) {
    const page = pageAt(pdf, number)
    const { height, toPage } = readPageView(page, resolve)
    const [left, top, right, bottom] = box
    page.dict.set('CropBox', transformBox([left, height - bottom, right, height - top], toPage))
  }
  return { bytes: await pdf.save({ incremental: true }) }
}
