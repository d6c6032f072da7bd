import { type PDF, PdfArray, PdfDict, PdfName, PdfNumber, type PdfObject, type PdfRef, PdfStream } from '@libpdf/core'

export interface Picture {
  ref: PdfRef
  width: number
  height: number
}

/** Puts a JPEG or PNG into a document, its data as they are wherever PDF can hold them so. */
export function embedPicture(pdf: PDF, bytes: Buffer): Picture {
  if (bytes[0] === 0xff && bytes[1] === 0xd8) return embedJpeg(pdf, bytes)
  return embedPlainPng(pdf, bytes) ?? pdf.embedPng(bytes)
}

interface JpegHead {
  width: number
  height: number
  components: number
  isAdobe: boolean
  profile: Buffer | undefined
}

const SPACES: Record<number, string> = { 1: 'DeviceGray', 3: 'DeviceRGB', 4: 'DeviceCMYK' }

function embedJpeg(pdf: PDF, bytes: Buffer): Picture {
  const { width, height, components, isAdobe, profile } = jpegHead(bytes)
  const plain = PdfName.of(SPACES[components] ?? 'DeviceRGB')
  const space = profile ? PdfArray.of(PdfName.of('ICCBased'), profileOf(pdf, profile, components, plain)) : plain
  const entries = imageEntries(width, height, 8, space, 'DCTDecode')
  // Adobe writes inks the other way round.
  if (components === 4 && isAdobe) entries.Decode = PdfArray.of(...[1, 0, 1, 0, 1, 0, 1, 0].map(PdfNumber.of))
  return { ref: pdf.register(PdfStream.fromDict(entries, bytes)), width, height }
}

function profileOf(pdf: PDF, profile: Buffer, components: number, alternate: PdfName): PdfRef {
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
const PROFILE = 'ICC_PROFILE\0'

function jpegHead(bytes: Buffer): JpegHead {
  const head: JpegHead = { width: 0, height: 0, components: 3, isAdobe: false, profile: undefined }
  const parts: [number, Buffer][] = []
  for (const { marker, body } of jpegSegments(bytes)) {
    const name = body.subarray(0, 12).toString('latin1')
    if (STARTS_OF_FRAME.has(marker)) {
      head.height = body.readUInt16BE(1)
      head.width = body.readUInt16BE(3)
      head.components = body[5]!
    } else if (marker === 0xee && name.startsWith('Adobe')) head.isAdobe = true
    else if (marker === 0xe2 && name === PROFILE) parts.push([body[12]!, body.subarray(14)])
  }
  if (parts.length > 0) head.profile = Buffer.concat(parts.sort(([a], [b]) => a - b).map(([, part]) => part))
  return head
}

const START_OF_SCAN = 0xda

function* jpegSegments(bytes: Buffer): Generator<{ marker: number; body: Buffer }> {
  for (let at = 2; at + 4 <= bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1]!
    if (marker === START_OF_SCAN) return
    const isFill = marker === 0xff
    const length = isFill ? 0 : bytes.readUInt16BE(at + 2)
    if (!isFill) yield { marker, body: bytes.subarray(at + 4, at + 2 + length) }
    at += isFill ? 1 : 2 + length
  }
}

const COLORS: Record<number, number> = { 0: 1, 2: 3, 3: 1 }

/** The deflated rows of a PNG without transparency are just what PDF takes. */
function embedPlainPng(pdf: PDF, bytes: Buffer): Picture | undefined {
  const chunks = pngChunks(bytes)
  const head = chunks.find(({ kind }) => kind === 'IHDR')?.data
  if (!head) return undefined
  const [width, height] = [head.readUInt32BE(0), head.readUInt32BE(4)]
  const [bits, type, , , interlace] = head.subarray(8)
  const colors = COLORS[type!]
  if (colors === undefined || bits! > 8 || interlace !== 0 || chunks.some(({ kind }) => kind === 'tRNS'))
    return undefined
  const palette = chunks.find(({ kind }) => kind === 'PLTE')?.data
  if (type === 3 && !palette) return undefined
  const space = type === 3 ? indexed(pdf, palette!) : PdfName.of(colors === 1 ? 'DeviceGray' : 'DeviceRGB')
  const entries = imageEntries(width, height, bits!, space, 'FlateDecode')
  const rows = { Predictor: 15, Colors: colors, BitsPerComponent: bits!, Columns: width }
  entries.DecodeParms = new PdfDict(Object.entries(rows).map(([name, value]) => [name, PdfNumber.of(value)]))
  const data = Buffer.concat(chunks.filter(({ kind }) => kind === 'IDAT').map(chunk => chunk.data))
  return { ref: pdf.register(PdfStream.fromDict(entries, data)), width, height }
}

function indexed(pdf: PDF, palette: Buffer): PdfArray {
  const last = PdfNumber.of(Math.floor(palette.length / 3) - 1)
  const table = pdf.register(new PdfStream([], palette))
  return PdfArray.of(PdfName.of('Indexed'), PdfName.of('DeviceRGB'), last, table)
}

function pngChunks(bytes: Buffer): { kind: string; data: Buffer }[] {
  const chunks: { kind: string; data: Buffer }[] = []
  for (let at = 8; at + 12 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at)
    chunks.push({ kind: bytes.toString('latin1', at + 4, at + 8), data: bytes.subarray(at + 8, at + 8 + length) })
    at += 12 + length
  }
  return chunks
}
