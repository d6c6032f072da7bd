import { readFile } from 'node:fs/promises'
import { PDF, PdfArray, PdfDict, PdfName, PdfNumber, type PdfObject, PdfRef, PdfStream } from '@libpdf/core'
import { listParms, readJpeg, unwrapJpeg } from '../content/jpeg-data.ts'
import { readFilters } from '../filter-names.ts'
import type { Resolve } from '../objects.ts'
import type { ObjectId } from '../pages/images.ts'
import { countChannels, hasAdobeMarker } from '../pages/images.ts'

/** How the data of an image can be encoded again without another meaning of its samples. */
export interface StoredImage {
  object: ObjectId
  /** A JPEG file, plain samples of 8 bits, or plain bits; nothing if the image must stay as it is. */
  kind?: 'jpeg' | 'samples' | 'bits'
  /** The JPEG file is wrapped in text or deflated once more. */
  isWrapped?: boolean
  width: number
  height: number
  channels: number
  /** Of a wrapped JPEG, those of the file itself. */
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
  const jpeg = readJpeg(image, resolve)
  const encoding = { bits: isMask ? 1 : number('BitsPerComponent'), jpeg }
  const kind = isFixed(image, resolve) ? undefined : findKind(image, encoding, resolve)
  const isReplaceable = kind === 'bits' ? channels <= 1 : channels > 0
  return {
    ...{ object, width, height, channels },
    storedBytes: (jpeg ?? image.data).length,
    ...(jpeg && jpeg !== image.data && { isWrapped: true }),
    ...(isReplaceable && { kind }),
  }
}

/** A mask by colours would not find its colours again, and a matte was computed from exactly these samples. */
function isFixed(image: PdfStream, resolve: Resolve): boolean {
  const hasColorKey = image.get('Mask', resolve) instanceof PdfArray
  const softMask = image.get('SMask', resolve)
  return hasColorKey || image.has('SMaskInData') || (softMask instanceof PdfDict && softMask.has('Matte'))
}

const LOSSLESS = new Set(['FlateDecode', 'LZWDecode', 'RunLengthDecode', 'ASCII85Decode', 'ASCIIHexDecode'])

interface Encoding {
  bits: number
  jpeg: Uint8Array | undefined
}

function findKind(image: PdfStream, { bits, jpeg }: Encoding, resolve: Resolve): StoredImage['kind'] {
  if (jpeg) return isPlainJpeg(image, jpeg, resolve) ? 'jpeg' : undefined
  if (!readFilters(image, resolve).every(name => LOSSLESS.has(name))) return undefined
  const channels = countChannels(image.get('ColorSpace', resolve), resolve)
  if (bits === 8) return channels === 1 || channels === 3 ? 'samples' : undefined
  return bits === 1 ? 'bits' : undefined
}

/** The encoder marks inks as inverted, as Adobe does; it must not do so where they are not. */
function isPlainJpeg(image: PdfStream, jpeg: Uint8Array, resolve: Resolve): boolean {
  const channels = countChannels(image.get('ColorSpace', resolve), resolve)
  const hasTransform = listParms(image, resolve).some(parms => parms?.has('ColorTransform'))
  return !hasTransform && (channels !== 4 || hasAdobeMarker(jpeg))
}

/** Writes a copy in which these images are the JPEG files alone, from which they can be taken. */
export async function unwrapImages(
  [file]: string[],
  { objects }: { objects: readonly ObjectId[] },
): Promise<{ bytes: Uint8Array }> {
  const pdf = await PDF.load(await readFile(file!))
  const resolve: Resolve = ref => pdf.getObject(ref)
  for (const [number, generation] of objects) unwrapJpeg(resolve(PdfRef.of(number, generation)) as PdfStream, resolve)
  return { bytes: await pdf.save({ incremental: true }) }
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
