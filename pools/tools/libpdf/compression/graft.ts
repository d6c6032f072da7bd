import { readFile } from 'node:fs/promises'
import { PDF, PdfDict, PdfStream } from '@libpdf/core'
import { Problem } from '#kit'
import { formatMatrix, invertMatrix, multiplyMatrices, readPageView } from '../content/page-view.ts'
import type { Resolve } from '../objects.ts'

/**
 * Gives the pages of a document the drawing of the same pages of another one, so that fields, links, bookmarks and all
 * else of the first stay. Tags are removed, because the new drawing does not mark what they refer to.
 */
export async function graftDrawing([file, other]: string[]): Promise<{ bytes: Uint8Array }> {
  const pdf = await PDF.load(await readFile(file!))
  const drawn = await PDF.load(await readFile(other!))
  const [resolve, resolveDrawn]: Resolve[] = [ref => pdf.getObject(ref), ref => drawn.getObject(ref)]
  const pages = pdf.getPages()
  if (drawn.getPageCount() !== pages.length)
    throw new Problem('PDF_PARSE_FAILED', { detail: 'the number of pages changed' })
  for (const [index, page] of pages.entries()) {
    const { ref } = await pdf.embedPage(drawn, index)
    const fromDrawn = invertMatrix(readPageView(drawn.getPage(index)!, resolveDrawn!).toPage)!
    const matrix = multiplyMatrices(fromDrawn, readPageView(page, resolve!).toPage)
    const content = Buffer.from(`q ${formatMatrix(matrix)} cm /Drawing Do Q`)
    page.dict.set('Contents', pdf.register(new PdfStream([], content)))
    page.dict.set('Resources', PdfDict.of({ XObject: PdfDict.of({ Drawing: ref }) }))
    page.dict.delete('StructParents')
  }
  const catalog = pdf.getCatalog()
  for (const key of ['StructTreeRoot', 'MarkInfo']) catalog.delete(key)
  return { bytes: await pdf.save({ incremental: true }) }
}
