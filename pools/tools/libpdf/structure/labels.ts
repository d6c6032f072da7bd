import { type PDF, PdfArray, PdfDict, PdfName, PdfNumber, type PdfObject } from '@libpdf/core'
import type { Resolve } from '../objects.ts'
import type { SourcePart } from './destinations.ts'

/** The pages that were taken from a file, from 1, and where each stands in the joined document, from 0. */
interface LabelledPart {
  source: Pick<SourcePart, 'pdf' | 'resolve'>
  pages: readonly number[]
  positions: readonly number[]
}

/**
 * Numbers the pages of files without labels as viewers number them in those files, if other pages have labels: qpdf gives
 * them empty ones.
 */
export function numberUnlabelled(joined: PDF, resolve: Resolve, parts: readonly LabelledPart[]): void {
  const catalog = joined.getCatalog()
  const labels = catalog.getDict('PageLabels', resolve)?.getArray('Nums', resolve)
  const numbers = mapNumbers(parts)
  if (!labels || numbers.size === 0) return
  const entries = readEntries(labels, resolve)
  for (const position of numbers.keys()) entries.delete(position)
  for (const [position, number] of numbers)
    if (numbers.get(position - 1) !== number - 1)
      entries.set(position, PdfDict.of({ S: PdfName.of('D'), St: PdfNumber.of(number) }))
  const sorted = [...entries].sort(([one], [other]) => one - other)
  const items = sorted.flatMap(([position, label]) => [PdfNumber.of(position), label])
  catalog.set('PageLabels', PdfDict.of({ Nums: PdfArray.of(...items) }))
}

/** The number of each page that has no label. */
function mapNumbers(parts: readonly LabelledPart[]): Map<number, number> {
  const numbers = new Map<number, number>()
  for (const { source, pages, positions } of parts) {
    if (source.pdf.getCatalog().getDict('PageLabels', source.resolve)) continue
    for (const [index, position] of positions.entries()) numbers.set(position, pages[index]!)
  }
  return numbers
}

function readEntries(labels: PdfArray, resolve: Resolve): Map<number, PdfObject> {
  const entries = new Map<number, PdfObject>()
  for (let index = 0; index + 1 < labels.length; index += 2) {
    const [position, label] = [labels.at(index, resolve), labels.at(index + 1, resolve)]
    if (position instanceof PdfNumber && label) entries.set(position.value, label)
  }
  return entries
}
