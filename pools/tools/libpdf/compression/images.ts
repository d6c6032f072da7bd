import { readFile } from 'node:fs/promises'
import { PDF, PdfArray, PdfDict, PdfName, PdfNumber, type PdfObject, PdfRef, PdfStream } from '@libpdf/core'
import type { Resolve } from '../objects.ts'
import type { ObjectId } from '../pages/images.ts'
import { countChannels, hasAdobeMarker, readFilters } from '../pages/images.ts'

/** How the data of an image can be encoded again without another meaning of its samples. */
export interface StoredImage {
  object: ObjectId
  /** A JPEG file, plain samples of 8 bits, or plain bits; nothing if the image must stay as it is. */
  kind?: 'jpeg' | 'samples' | 'bits'
  width: number
  height: number
  channels: number
  storedBytes: number
}

export async function readImageEncodings(
  [file]: string[],
  { objects }: { objects: readonly ObjectId[] },
): Promise<StoredImage[]> {
  const pdf = await PDF.load(await readFile(file!))
  const resolve: Resolve = ref => pdf.getObject(ref)
  return objects.flatMap(object => {
    const image = resolve(PdfRef.of(object[0], object[1]))
    return image instanceof PdfStream ? [describeImage(image, object, resolve)] : []
  })
}

function describeImage(image: PdfStream, object: ObjectId, resolve: Resolve): StoredImage {
  const number = (name: string) => image.getNumber(name, resolve)?.value ?? 0
  const [width, height] = [number('Width'), number('Height')]
  const isMask = image.getBool('ImageMask', resolve)?.value ?? false
  const channels = isMask ? 1 : (countChannels(image.get('ColorSpace', resolve), resolve) ?? 0)
  const kind = isFixed(image, resolve) ? undefined : findKind(image, isMask ? 1 : number('BitsPerComponent'), resolve)
  const isReplaceable = kind === 'bits' ? channels <= 1 : channels > 0
  return { object, width, height, channels, storedBytes: image.data.length, ...(isReplaceable && { kind }) }
}

/** A mask by colours would not find its colours again, and a matte was computed from exactly these samples. */
function isFixed(image: PdfStream, resolve: Resolve): boolean {
  const hasColorKey = image.get('Mask', resolve) instanceof PdfArray
  const softMask = image.get('SMask', resolve)
  return hasColorKey || image.has('SMaskInData') || (softMask instanceof PdfDict && softMask.has('Matte'))
}

const LOSSLESS = new Set(['FlateDecode', 'LZWDecode', 'RunLengthDecode', 'ASCII85Decode', 'ASCIIHexDecode'])

function findKind(image: PdfStream, bits: number, resolve: Resolve): StoredImage['kind'] {
  const filters = readFilters(image, resolve)
  if (filters.length === 1 && filters[0] === 'DCTDecode') return isPlainJpeg(image, resolve) ? 'jpeg' : undefined
  if (!filters.every(name => LOSSLESS.has(name))) return undefined
  const channels = countChannels(image.get('ColorSpace', resolve), resolve)
  if (bits === 8) return channels === 1 || channels === 3 ? 'samples' : undefined
  return bits === 1 ? 'bits' : undefined
}

/** The encoder marks inks as inverted, as Adobe does; it must not do so where they are not. */
function isPlainJpeg(image: PdfStream, resolve: Resolve): boolean {
  const channels = countChannels(image.get('ColorSpace', resolve), resolve)
  const parms = image.get('DecodeParms', resolve)
  const hasTransform = parms instanceof PdfDict && parms.has('ColorTransform')
  return !hasTransform && (channels !== 4 || hasAdobeMarker(image.data))
}

export interface NewImageData {
  object: ObjectId
  width: number
  height: number
  filter: 'DCTDecode' | 'CCITTFaxDecode'
}

/** Replaces the data of images. Colour spaces, masks and all uses of the images stay. */
export async function replaceImageData(
  [file, ...data]: string[],
  { images }: { images: readonly NewImageData[] },
): Promise<{ bytes: Uint8Array }> {
  const pdf = await PDF.load(await readFile(file!))
  for (const [index, { object, width, height, filter }] of images.entries()) {
    const image = pdf.getObject(PdfRef.of(object[0], object[1])) as PdfStream
    image.setData(await readFile(data[index]!))
    image.delete('DecodeParms')
    const entries: Record<string, PdfObject> = {
      Width: PdfNumber.of(width),
      Height: PdfNumber.of(height),
      Filter: PdfName.of(filter),
      ...(filter === 'CCITTFaxDecode' && { DecodeParms: faxParameters(width, height) }),
    }
    for (const [name, value] of Object.entries(entries)) image.set(name, value)
  }
  return { bytes: await pdf.save({ incremental: true }) }
}

function faxParameters(width: number, height: number): PdfDict {
  return PdfDict.of({ K: PdfNumber.of(-1), Columns: PdfNumber.of(width), Rows: PdfNumber.of(height) })
}
