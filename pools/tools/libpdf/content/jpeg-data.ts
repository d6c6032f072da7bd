import { inflateSync } from 'node:zlib'
import { PdfArray, PdfDict, PdfName, PdfRef, PdfStream } from '@libpdf/core'
import { readFilters } from '../filter-names.ts'
import type { Resolve } from '../objects.ts'

const MAX_INFLATED_BYTES = 64 * 2 ** 20

/** Returns undefined if the data cannot be decoded. */
type Unwrap = (data: Uint8Array) => Uint8Array | undefined

/** What writers put around JPEG data. None of these can make much of little, besides the one that has a limit. */
const WRAPPERS: Record<string, Unwrap | undefined> = {
  ASCII85Decode: data => decode(data, 'ASCII85Decode'),
  ASCIIHexDecode: data => decode(data, 'ASCIIHexDecode'),
  FlateDecode: tryInflate,
}

/** Returns the JPEG file in an image, also if it is wrapped in text or deflated once more. */
export function readJpeg(image: PdfStream, resolve: Resolve): Uint8Array | undefined {
  const filters = readFilters(image, resolve)
  if (filters.pop() !== 'DCTDecode' || hasPredictor(image, resolve)) return undefined
  let data: Uint8Array | undefined = image.data
  for (const name of filters) data = data && WRAPPERS[name]?.(data)
  return data
}

/** Makes the image the JPEG file alone, if it is one. */
export function unwrapJpeg(image: PdfStream, resolve: Resolve): void {
  if (readFilters(image, resolve).length < 2) return
  const jpeg = readJpeg(image, resolve)
  if (!jpeg) return
  const parms = listParms(image, resolve).at(-1)
  image.setData(jpeg)
  image.set('Filter', PdfName.of('DCTDecode'))
  image.delete('DecodeParms')
  if (parms) image.set('DecodeParms', parms)
}

/** The parameters of each filter that has some. */
export function listParms(image: PdfStream, resolve: Resolve): (PdfDict | undefined)[] {
  const parms = image.get('DecodeParms', resolve)
  const list = parms instanceof PdfArray ? parms.toArray() : [parms]
  return list
    .map(item => (item instanceof PdfRef ? resolve(item) : item))
    .map(item => (item instanceof PdfDict ? item : undefined))
}

function hasPredictor(image: PdfStream, resolve: Resolve): boolean {
  return listParms(image, resolve).some(parms => (parms?.getNumber('Predictor', resolve)?.value ?? 1) > 1)
}

function decode(data: Uint8Array, filter: string): Uint8Array {
  const stream = new PdfStream([], data)
  stream.set('Filter', PdfName.of(filter))
  return stream.getDecodedData()
}

/** Returns undefined if the data are damaged; the renderer then shows as much of the image as it can. */
function tryInflate(data: Uint8Array): Uint8Array | undefined {
  try {
    return inflateSync(data, { maxOutputLength: MAX_INFLATED_BYTES })
  } catch {
    return undefined
  }
}
