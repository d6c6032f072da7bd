import { PdfArray, PdfName, PdfRef, PdfStream } from '@libpdf/core'
import type { Resolve } from './objects.ts'

/** The short names are for inline images, but all readers accept them for any stream, and some writers use them. */
const FULL_NAMES: Record<string, string | undefined> = {
  A85: 'ASCII85Decode',
  AHx: 'ASCIIHexDecode',
  CCF: 'CCITTFaxDecode',
  DCT: 'DCTDecode',
  Fl: 'FlateDecode',
  LZW: 'LZWDecode',
  RL: 'RunLengthDecode',
}

interface FilterNames {
  buildFilterSpecs(entry: unknown): { name: string; params: unknown }[]
}

// libpdf knows the full names only, and the registry of its filters is not exported.
const stream = PdfStream.prototype as unknown as FilterNames
const { buildFilterSpecs } = stream
stream.buildFilterSpecs = function (entry) {
  return buildFilterSpecs.call(this, entry).map(spec => ({ ...spec, name: FULL_NAMES[spec.name] ?? spec.name }))
}

/** The filters of a stream by their full names, in the order in which they are undone. */
export function readFilters(image: PdfStream, resolve: Resolve): string[] {
  const filter = image.get('Filter', resolve)
  const list = filter instanceof PdfArray ? filter.toArray() : filter ? [filter] : []
  return list
    .map(item => (item instanceof PdfRef ? resolve(item) : item))
    .map(item => (item instanceof PdfName ? (FULL_NAMES[item.value] ?? item.value) : '?'))
}
