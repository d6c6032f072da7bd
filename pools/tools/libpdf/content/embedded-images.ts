import { type PDF, PdfArray, PdfDict, PdfName, PdfNumber, type PdfObject, type PdfRef, PdfStream } from '@libpdf/core'
import { Problem } from '#kit'
import { readPngChunks } from '../../../../tasks/formats/raster/png-chunks.ts'

interface EmbeddedImage {
  ref: PdfRef
  width: number
  height: number
}

/** Adds a JPEG or PNG to a document if the file is complete, without encoding it again where PDF supports its data as they are. */
export function embedImage(pdf: PDF, bytes: Buffer): EmbeddedImage {
  const isJpeg = bytes[0] === 0xff && bytes[1] === 0xd8
  if (!(isJpeg ? isWholeJpeg(bytes) : isWholePng(bytes)))
    throw new Problem('IMAGE_DECODE_FAILED', { detail: 'the file ends in the middle of the image' })
  if (isJpeg) return embedJpeg(pdf, bytes)
  return embedPlainPng(pdf, bytes) ?? pdf.embedPng(bytes)
}

const END_OF_JPEG = Buffer.from('ffd9', 'hex')
/** Its length and checksum are always the same. */
const END_OF_PNG = Buffer.from('0000000049454e44ae426082', 'hex')

/** A preview in the metadata has an end marker of its own, before the scans of the image. */
function isWholeJpeg(bytes: Buffer): boolean {
  let scans = 2
  for (const { body } of readJpegSegments(bytes)) scans = body.byteOffset - bytes.byteOffset + body.length
  return bytes.indexOf(END_OF_JPEG, scans) >= 0
}

function isWholePng(bytes: Buffer): boolean {
  return bytes.includes(END_OF_PNG)
}

interface JpegHeader {
  width: number
  height: number
  components: number
  isAdobe: boolean
  profile: Buffer | undefined
}

const COLOR_SPACES: Record<number, string> = { 1: 'DeviceGray', 3: 'DeviceRGB', 4: 'DeviceCMYK' }

function embedJpeg(pdf: PDF, bytes: Buffer): EmbeddedImage {
  const { width, height, components, isAdobe, profile } = readJpegHeader(bytes)
  const device = PdfName.of(COLOR_SPACES[components] ?? 'DeviceRGB')
  const space = profile ? PdfArray.of(PdfName.of('ICCBased'), embedProfile(pdf, profile, components, device)) : device
  const entries = imageEntries(width, height, 8, space, 'DCTDecode')
  // Adobe inverts the ink values of CMYK JPEGs.
  if (components === 4 && isAdobe) entries.Decode = PdfArray.of(...[1, 0, 1, 0, 1, 0, 1, 0].map(PdfNumber.of))
  return { ref: pdf.register(PdfStream.fromDict(entries, bytes)), width, height }
}

function embedProfile(pdf: PDF, profile: Buffer, components: number, alternate: PdfName): PdfRef {
  return pdf.register(PdfStream.fromDict({ N: PdfNumber.of(components), Alternate: alternate }, profile))
}

function imageEntries(
  width: number,
  height: number,
  bits: number,
  space: PdfObject,
  filter: string,
): Record<string, PdfObject> {
  return {
    Type: PdfName.of('XObject'),
    Subtype: PdfName.of('Image'),
    Width: PdfNumber.of(width),
    Height: PdfNumber.of(height),
    ColorSpace: space,
    BitsPerComponent: PdfNumber.of(bits),
    Filter: PdfName.of(filter),
  }
}

const STARTS_OF_FRAME = new Set([0xc0, 0xc1, 0xc2])
const PROFILE_SIGNATURE = 'ICC_PROFILE\0'

function readJpegHeader(bytes: Buffer): JpegHeader {
  const header: JpegHeader = { width: 0, height: 0, components: 3, isAdobe: false, profile: undefined }
  const parts: [number, Buffer][] = []
  for (const { marker, body } of readJpegSegments(bytes)) {
    const name = body.subarray(0, 12).toString('latin1')
    if (STARTS_OF_FRAME.has(marker)) {
      header.height = body.readUInt16BE(1)
      header.width = body.readUInt16BE(3)
      header.components = body[5]!
    } else if (marker === 0xee && name.startsWith('Adobe')) header.isAdobe = true
    else if (marker === 0xe2 && name === PROFILE_SIGNATURE) parts.push([body[12]!, body.subarray(14)])
  }
  if (parts.length > 0) header.profile = Buffer.concat(parts.sort(([a], [b]) => a - b).map(([, part]) => part))
  return header
}

const START_OF_SCAN = 0xda

function* readJpegSegments(bytes: Buffer): Generator<{ marker: number; body: Buffer }> {
  for (let offset = 2; offset + 4 <= bytes.length && bytes[offset] === 0xff; ) {
    const marker = bytes[offset + 1]!
    if (marker === START_OF_SCAN) return
    const isFill = marker === 0xff
    const length = isFill ? 0 : bytes.readUInt16BE(offset + 2)
    if (!isFill) yield { marker, body: bytes.subarray(offset + 4, offset + 2 + length) }
    offset += isFill ? 1 : 2 + length
  }
}

const PNG_CHANNELS: Record<number, number> = { 0: 1, 2: 3, 3: 1 }

/** PDF can hold the deflated rows of a PNG without transparency as they are. */
function embedPlainPng(pdf: PDF, bytes: Buffer): EmbeddedImage | undefined {
  const chunks = [...readPngChunks(bytes)]
  const header = chunks.find(({ kind }) => kind === 'IHDR')?.data
  if (!header) return undefined
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  const [bits, type, , , interlace] = header.subarray(8)
  const colors = PNG_CHANNELS[type!]
  if (colors === undefined || bits! > 8 || interlace !== 0 || chunks.some(({ kind }) => kind === 'tRNS'))
    return undefined
  const palette = chunks.find(({ kind }) => kind === 'PLTE')?.data
  if (type === 3 && !palette) return undefined
  const space = type === 3 ? embedPalette(pdf, palette!) : PdfName.of(colors === 1 ? 'DeviceGray' : 'DeviceRGB')
  const entries = imageEntries(width, height, bits!, space, 'FlateDecode')
  const rows = { Predictor: 15, Colors: colors, BitsPerComponent: bits!, Columns: width }
  entries.DecodeParms = new PdfDict(Object.entries(rows).map(([name, value]) => [name, PdfNumber.of(value)]))
  const data = Buffer.concat(chunks.filter(({ kind }) => kind === 'IDAT').map(chunk => chunk.data))
  return { ref: pdf.register(PdfStream.fromDict(entries, data)), width, height }
}

function embedPalette(pdf: PDF, palette: Buffer): PdfArray {
  const last = PdfNumber.of(Math.floor(palette.length / 3) - 1)
  const table = pdf.register(new PdfStream([], palette))
  return PdfArray.of(PdfName.of('Indexed'), PdfName.of('DeviceRGB'), last, table)
}
