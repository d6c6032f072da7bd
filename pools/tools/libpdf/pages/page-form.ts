import { type PDF, type PDFPage, PdfDict, PdfName, type PdfRef, PdfStream } from '@libpdf/core'
import { inheritedEntry, numberArray, readContent } from '../content/page-view.ts'

const EVERYTHING = numberArray(-32_000, -32_000, 32_000, 32_000)

/** Makes a form of the content of a page, which other pages can draw. */
export function registerPageForm(pdf: PDF, page: PDFPage): PdfRef {
  const resolve = (ref: PdfRef) => pdf.getObject(ref)
  const resources = inheritedEntry(page, 'Resources', resolve)
  const group = page.dict.get('Group')
  const entries = {
    Type: PdfName.of('XObject'),
    Subtype: PdfName.of('Form'),
    BBox: EVERYTHING,
    Resources: resources instanceof PdfDict ? resources : new PdfDict(),
    ...(group && { Group: group }),
  }
  return pdf.register(PdfStream.fromDict(entries, readContent(page, resolve)))
}
