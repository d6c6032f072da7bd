import { readFile } from 'node:fs/promises'
import { inflateSync } from 'node:zlib'
import { PDF, PdfArray, PdfDict, PdfName, PdfNumber, type PdfObject, PdfRef, PdfStream } from '@libpdf/core'
import { Problem } from '#kit'

export type ObjectId = [number: number, generation: number]

/** Whether the bytes of a picture are a file of their own as they stand. */
export type RawKind = 'jpeg' | 'jp2'

export interface PictureSheet {
  bytes: Uint8Array
  /** For each picture, in their order. */
  raw: (RawKind | undefined)[]
}

/** A document with a page for each picture, as many points large as the picture has pixels, and nothing else on it. */
export async function pictureSheet([file]: string[], { objects }: { objects: ObjectId[] }): Promise<PictureSheet> {
  const pdf = await PDF.load(await readFile(file!))
  const resolve = (ref: PdfRef) => pdf.getObject(ref)
  const found = objects.map(([number, generation]) => PdfRef.of(number, generation))
  const raw: PictureSheet['raw'] = []
  const pages = found.map(ref => {
    const picture = resolve(ref)
    if (!(picture instanceof PdfStream))
      throw new Problem('PDF_PARSE_FAILED', { detail: `object ${ref.objectNumber} is no picture` })
    // A layer that is off would leave the page blank.
    picture.delete('OC')
    unwrap(picture, resolve)
    raw.push(rawKindOf(picture, resolve))
    return pdf.register(pageFor(pdf, picture, ref, resolve))
  })
  const tree = PdfDict.of({ Type: PdfName.Pages, Kids: PdfArray.of(...pages), Count: PdfNumber.of(pages.length) })
  const parent = pdf.register(tree)
  for (const page of pages) (resolve(page) as PdfDict).set('Parent', parent)
  const catalog = pdf.getCatalog()
  for (const name of ['OCProperties', 'AcroForm', 'Outlines', 'Names', 'StructTreeRoot']) catalog.delete(name)
  catalog.set('Pages', parent)
  return { bytes: await pdf.save({ incremental: true }), raw }
}

type Resolve = (ref: PdfRef) => PdfObject | null

function pageFor(pdf: PDF, picture: PdfStream, ref: PdfRef, resolve: Resolve): PdfDict {
  const [width, height] = ['Width', 'Height'].map(name => picture.getNumber(name, resolve)?.value ?? 1) as [
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

const RAW_KINDS: Record<string, RawKind> = { JPXDecode: 'jp2', DCTDecode: 'jpeg' }
const MOST_PACKED_BYTES = 64 * 2 ** 20

function filtersOf(picture: PdfStream, resolve: Resolve): string[] {
  const filter = picture.get('Filter', resolve)
  const list = filter instanceof PdfArray ? filter.toArray() : filter ? [filter] : []
  return list.map(item => (item instanceof PdfName ? item.value : '?'))
}

/** A JPEG that was deflated once more, as some writers do, becomes a plain one. */
function unwrap(picture: PdfStream, resolve: Resolve): void {
  const [outer, inner, ...rest] = filtersOf(picture, resolve)
  const isWrapped = outer === 'FlateDecode' && inner === 'DCTDecode' && rest.length === 0
  if (!isWrapped) return
  const plain = inflated(picture.data)
  if (!plain) return
  picture.setData(plain)
  picture.set('Filter', PdfName.of('DCTDecode'))
  picture.delete('DecodeParms')
}

/** Nothing where the data are damaged: the renderer makes of them what it can. */
function inflated(data: Uint8Array): Uint8Array | undefined {
  try {
    return inflateSync(data, { maxOutputLength: MOST_PACKED_BYTES })
  } catch {
    return undefined
  }
}

/** How the files begin; JPEG 2000 comes in a box or bare. */
const BEGINNINGS: Record<RawKind, readonly string[]> = { jpeg: ['ffd8ff'], jp2: ['0000000c6a502020', 'ff4fff51'] }

function isFile(data: Uint8Array, kind: RawKind): boolean {
  const head = Buffer.from(data.subarray(0, 8)).toString('hex')
  return BEGINNINGS[kind].some(beginning => head.startsWith(beginning))
}

function rawKindOf(picture: PdfStream, resolve: Resolve): RawKind | undefined {
  const [filter, ...rest] = filtersOf(picture, resolve)
  const isMasked = picture.has('SMask') || picture.has('Mask') || picture.has('SMaskInData')
  if (rest.length > 0 || isMasked || picture.getBool('ImageMask', resolve)?.value) return undefined
  const isDrawn = filter === 'JPXDecode' ? picture.has('Decode') : !showsItself(picture, resolve)
  const kind = RAW_KINDS[filter ?? '']
  return kind && !isDrawn && isFile(picture.data, kind) ? kind : undefined
}

/** Whether a viewer of the bare JPEG shows the colours that the document means. */
function showsItself(picture: PdfStream, resolve: Resolve): boolean {
  const channels = channelsOf(picture.get('ColorSpace', resolve), resolve)
  const decode = picture
    .getArray('Decode', resolve)
    ?.toArray()
    .map(item => (item instanceof PdfNumber ? item.value : 0))
  const isPlain = !decode || decode.every((level, index) => level === index % 2)
  if (channels !== 4) return channels !== undefined && isPlain
  // Adobe turns the inks of its JPEGs over, and viewers of bare JPEGs go by its mark.
  const isTurned = decode?.every((level, index) => level === (index + 1) % 2) ?? false
  return hasAdobeMark(picture.data) ? isTurned : isPlain
}

function channelsOf(space: PdfObject | undefined, resolve: Resolve): number | undefined {
  const [kind, profile] = space instanceof PdfArray ? [space.at(0, resolve), space.at(1, resolve)] : [space]
  const name = kind instanceof PdfName ? kind.value : ''
  if (name === 'ICCBased') return profile instanceof PdfDict ? profile.getNumber('N', resolve)?.value : undefined
  return { DeviceGray: 1, CalGray: 1, DeviceRGB: 3, CalRGB: 3, DeviceCMYK: 4 }[name]
}

function hasAdobeMark(data: Uint8Array): boolean {
  return Buffer.from(data.buffer, data.byteOffset, Math.min(data.length, 65_536)).includes('Adobe\0')
}
