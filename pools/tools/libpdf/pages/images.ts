import { readFile } from 'node:fs/promises'
import { PDF, PdfArray, PdfDict, PdfName, PdfNumber, type PdfObject, PdfRef, PdfStream } from '@libpdf/core'
import { Problem } from '#kit'
import { unwrapJpeg } from '../content/jpeg-data.ts'
import { readFilters } from '../filter-names.ts'
import type { Resolve } from '../objects.ts'

export type ObjectId = [number: number, generation: number]

/** The format of image data that is a complete file as stored. */
type FileKind = 'jpeg' | 'jp2'

/** The renderer cannot show JPEG 2000 data whose alpha channel is the mask of the image; they must be decoded on their own. */
type RawKind = FileKind | 'transparent-jp2'

interface IsolatedImages {
  bytes: Uint8Array
  /** One entry per image, in the order of the pages. */
  rawKinds: (RawKind | undefined)[]
}

/** Writes a document with one page per image, and nothing else on it. The page has one point per pixel. */
export async function isolateImages(
  [file]: string[],
  { objects }: { objects: readonly ObjectId[] },
): Promise<IsolatedImages> {
  const pdf = await PDF.load(await readFile(file!))
  const resolve = (ref: PdfRef) => pdf.getObject(ref)
  const refs = objects.map(([number, generation]) => PdfRef.of(number, generation))
  const rawKinds: IsolatedImages['rawKinds'] = []
  const pages = refs.map(ref => {
    const image = resolve(ref)
    if (!(image instanceof PdfStream))
      throw new Problem('PDF_PARSE_FAILED', { detail: `object ${ref.objectNumber} is not an image` })
    // A hidden layer would leave the page blank.
    image.delete('OC')
    unwrapJpeg(image, resolve)
    rawKinds.push(detectRawKind(image, resolve))
    return pdf.register(buildImagePage(pdf, image, ref, resolve))
  })
  const tree = PdfDict.of({ Type: PdfName.Pages, Kids: PdfArray.of(...pages), Count: PdfNumber.of(pages.length) })
  const parent = pdf.register(tree)
  for (const page of pages) (resolve(page) as PdfDict).set('Parent', parent)
  const catalog = pdf.getCatalog()
  for (const name of ['OCProperties', 'AcroForm', 'Outlines', 'Names', 'StructTreeRoot']) catalog.delete(name)
  catalog.set('Pages', parent)
  return { bytes: await pdf.save({ incremental: true }), rawKinds }
}

function buildImagePage(pdf: PDF, image: PdfStream, ref: PdfRef, resolve: Resolve): PdfDict {
  const [width, height] = ['Width', 'Height'].map(name => image.getNumber(name, resolve)?.value ?? 1) as [
    number,
    number,
  ]
  const content = pdf.register(PdfStream.fromDict({}, Buffer.from(`q ${width} 0 0 ${height} 0 0 cm /I Do Q`)))
  return PdfDict.of({
    Type: PdfName.Page,
    MediaBox: PdfArray.of(...[0, 0, width, height].map(side => PdfNumber.of(side))),
    Resources: PdfDict.of({ XObject: PdfDict.of({ I: ref }) }),
    Contents: content,
  })
}

const FILE_KINDS: Record<string, FileKind> = { JPXDecode: 'jp2', DCTDecode: 'jpeg' }

/** The first bytes of the files. JPEG 2000 exists with and without a container. */
const SIGNATURES: Record<FileKind, readonly string[]> = { jpeg: ['ffd8ff'], jp2: ['0000000c6a502020', 'ff4fff51'] }

function hasSignature(data: Uint8Array, kind: FileKind): boolean {
  const firstBytes = Buffer.from(data.subarray(0, 8)).toString('hex')
  return SIGNATURES[kind].some(signature => firstBytes.startsWith(signature))
}

function detectRawKind(image: PdfStream, resolve: Resolve): RawKind | undefined {
  const [filter, ...rest] = readFilters(image, resolve)
  const isMasked = image.has('SMask') || image.has('Mask') || image.getBool('ImageMask', resolve)?.value
  const kind = FILE_KINDS[filter ?? '']
  if (rest.length > 0 || isMasked || !kind || !hasSignature(image.data, kind)) return undefined
  if (kind === 'jp2') return detectJp2Kind(image, resolve)
  return showsSameColors(image, resolve) ? kind : undefined
}

/** Whether the alpha channel in the data is used: not at all, or as the opacity. */
const [IGNORED, OPACITY] = [0, 1]

function detectJp2Kind(image: PdfStream, resolve: Resolve): RawKind | undefined {
  if (image.has('Decode')) return undefined
  const alphaUse = image.getNumber('SMaskInData', resolve)?.value ?? IGNORED
  if (alphaUse === IGNORED) return hasAlphaChannel(image.data) ? undefined : 'jp2'
  const space = image.get('ColorSpace', resolve)
  const channels = space ? countChannels(space, resolve) : 3
  return alphaUse === OPACITY && (channels === 1 || channels === 3) ? 'transparent-jp2' : undefined
}

/** The box that tells what each channel is stands before the pixels: a number, a type and an association for each. */
function hasAlphaChannel(data: Uint8Array): boolean {
  const head = Buffer.from(data.buffer, data.byteOffset, Math.min(data.length, 65_536))
  const at = head.indexOf('cdef')
  if (at < 0 || at + 6 > head.length) return false
  const channels = Math.min(head.readUInt16BE(at + 4), Math.floor((head.length - at - 6) / 6))
  return Array.from({ length: channels }, (_, index) => head.readUInt16BE(at + 8 + index * 6)).some(type => type !== 0)
}

/** Whether an image viewer shows the stored JPEG in the colours that the document defines. */
function showsSameColors(image: PdfStream, resolve: Resolve): boolean {
  const channels = countChannels(image.get('ColorSpace', resolve), resolve)
  const decode = image
    .getArray('Decode', resolve)
    ?.toArray()
    .map(item => (item instanceof PdfNumber ? item.value : 0))
  const isPlain = !decode || decode.every((level, index) => level === index % 2)
  if (channels !== 4) return channels !== undefined && isPlain
  // Adobe inverts the inks of CMYK JPEGs, and image viewers recognise that by its marker.
  const isInverted = decode?.every((level, index) => level === (index + 1) % 2) ?? false
  return hasAdobeMarker(image.data) ? isInverted : isPlain
}

export function countChannels(space: PdfObject | undefined, resolve: Resolve): number | undefined {
  const [kind, profile] = space instanceof PdfArray ? [space.at(0, resolve), space.at(1, resolve)] : [space]
  const name = kind instanceof PdfName ? kind.value : ''
  if (name === 'ICCBased') return profile instanceof PdfDict ? profile.getNumber('N', resolve)?.value : undefined
  return { DeviceGray: 1, CalGray: 1, DeviceRGB: 3, CalRGB: 3, DeviceCMYK: 4 }[name]
}

export function hasAdobeMarker(data: Uint8Array): boolean {
  return Buffer.from(data.buffer, data.byteOffset, Math.min(data.length, 65_536)).includes('Adobe\0')
}
