import { readFile } from 'node:fs/promises'
import sharp, { type Sharp } from 'sharp'

export interface PdfImageOptions {
  /** A JPEG file, samples of 8 bits, or one bit per pixel in rows of whole bytes. */
  kind: 'jpeg' | 'samples' | 'bits'
  width: number
  height: number
  channels: number
  /** Of the output. */
  newWidth: number
  newHeight: number
  quality: number
}

interface EncodedPdfImage {
  /** Nothing if the data are not what the document states. */
  bytes?: Uint8Array
}

/** Encodes the data of an image of a PDF again: photographs as JPEG, bits as fax. */
export async function encodePdfImage(
  [file]: string[],
  options: PdfImageOptions,
  seconds: number,
): Promise<EncodedPdfImage> {
  const data = await readFile(file!)
  try {
    return options.kind === 'bits' ? await encodeBits(data, options) : await encodeSamples(data, options, seconds)
  } catch {
    // What cannot be decoded here stays as it is.
    return {}
  }
}

async function encodeSamples(data: Buffer, options: PdfImageOptions, seconds: number): Promise<EncodedPdfImage> {
  const image = options.kind === 'jpeg' ? await openJpeg(data, options) : openSamples(data, options)
  if (!image) return {}
  const { newWidth: width, newHeight: height, channels, quality } = options
  const space = channels === 4 ? 'cmyk' : channels === 1 ? 'b-w' : 'srgb'
  const resized = image.timeout({ seconds: Math.max(1, Math.floor(seconds)) }).resize({ width, height, fit: 'fill' })
  const jpeg = resized.toColourspace(space).jpeg({ mozjpeg: true, quality })
  const { data: bytes, info } = await jpeg.toBuffer({ resolveWithObject: true })
  return info.channels === channels ? { bytes } : {}
}

/** The document defines the colours, not a profile inside the JPEG. */
async function openJpeg(data: Buffer, { width, height, channels }: PdfImageOptions): Promise<Sharp | undefined> {
  const facts = await sharp(data).metadata()
  const isAsStated = facts.width === width && facts.height === height && facts.channels === channels
  if (!isAsStated || facts.format !== 'jpeg') return undefined
  const image = sharp(data, { ignoreIcc: true, failOn: 'error' })
  return channels === 4 ? image.pipelineColourspace('cmyk') : image
}

function openSamples(data: Buffer, { width, height, channels }: PdfImageOptions): Sharp | undefined {
  if (data.length < width * height * channels) return undefined
  return sharp(data, { raw: { width, height, channels: channels as 1 | 3 }, limitInputPixels: false })
}

async function encodeBits(data: Buffer, { width, height }: PdfImageOptions): Promise<EncodedPdfImage> {
  const rowBytes = Math.ceil(width / 8)
  if (data.length < rowBytes * height) return {}
  const pixels = Buffer.alloc(width * height)
  for (let y = 0, at = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1, at += 1)
      pixels[at] = (data[y * rowBytes + (x >> 3)]! >> (7 - (x & 7))) & 1 ? 255 : 0
  const tiff = await sharp(pixels, { raw: { width, height, channels: 1 }, limitInputPixels: false })
    .toColourspace('b-w')
    .tiff({ compression: 'ccittfax4', bitdepth: 1, miniswhite: true, tileHeight: Math.ceil(height / 16) * 16 })
    .toBuffer()
  return { bytes: readOnlyStrip(tiff) }
}

/** Returns nothing if the image has several strips, which a PDF cannot take as one. */
function readOnlyStrip(tiff: Buffer): Buffer | undefined {
  const start = tiff.readUInt32LE(4)
  const tags = Array.from({ length: tiff.readUInt16LE(start) }, (_, index) => start + 2 + index * 12)
  const find = (wanted: number) => tags.find(tag => tiff.readUInt16LE(tag) === wanted)!
  const readValue = (tag: number) =>
    tiff.readUInt16LE(tag + 2) === 3 ? tiff.readUInt16LE(tag + 8) : tiff.readUInt32LE(tag + 8)
  const [offset, size] = [find(STRIP_OFFSETS), find(STRIP_SIZES)]
  if (tiff.readUInt32LE(offset + 4) !== 1) return undefined
  return tiff.subarray(readValue(offset), readValue(offset) + readValue(size))
}

const STRIP_OFFSETS = 273
const STRIP_SIZES = 279
