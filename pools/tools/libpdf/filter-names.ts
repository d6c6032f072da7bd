import { PdfStream } from '@libpdf/core'

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
