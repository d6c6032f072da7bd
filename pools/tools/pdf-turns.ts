import { readFile } from 'node:fs/promises'
import { PDF, PdfDict, PdfNumber, type PdfObject, type PdfRef } from '@libpdf/core'

const DEEPEST = 100

/** Turns pages clockwise, relative to how they stand. All else stays as it is, byte for byte. */
export async function turn(
  [file]: string[],
  { pages, degrees }: { pages: number[]; degrees: number },
): Promise<{ bytes: Uint8Array }> {
  const pdf = await PDF.load(await readFile(file!))
  const resolve = (ref: PdfRef) => pdf.getObject(ref)
  const all = pdf.getPages()
  for (const number of pages) {
    const { dict } = all[number - 1]!
    dict.set('Rotate', PdfNumber.of((standing(dict, resolve) + degrees) % 360))
  }
  return { bytes: await pdf.save({ incremental: true }) }
}

/** How far a page is turned now, by itself or by the tree above it, from 0 to 270. */
function standing(page: PdfDict, resolve: (ref: PdfRef) => PdfObject | null): number {
  let node: PdfDict | undefined = page
  for (let depth = 0; node instanceof PdfDict && depth < DEEPEST; depth++) {
    const degrees = node.getNumber('Rotate', resolve)?.value
    if (degrees !== undefined) return degrees % 90 === 0 ? ((degrees % 360) + 360) % 360 : 0
    node = node.getDict('Parent', resolve)
  }
  return 0
}
