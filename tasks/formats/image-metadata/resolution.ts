import { readPngChunks } from '../raster/png-chunks.ts'
import { readTags } from './exif.ts'

interface Decoded {
  format: string
  /** Pixels per inch, which the decoder makes up for some files that record none. */
  density?: number
  /** Of a TIFF. */
  resolutionUnit?: string
  exif?: Uint8Array
}

/** The pixels per inch that an image records; `head` is its file up to the pixels. */
export function readResolution({ format, density, resolutionUnit, exif }: Decoded, head: () => Buffer) {
  if (density === undefined || format === 'svg') return undefined
  if (format === 'tiff') return resolutionUnit === undefined ? undefined : density
  const isRecorded = RESOLUTION_READERS[format]
  return !isRecorded || hasExifResolution(exif) || isRecorded(head()) ? density : undefined
}

const RESOLUTION_READERS: Record<string, ((head: Buffer) => boolean) | undefined> = {
  png: hasPngResolution,
  jpeg: hasJfifResolution,
}

function hasExifResolution(exif: Uint8Array | undefined): boolean {
  return exif !== undefined && readTags(exif).XResolution !== undefined
}

/** A PNG may record the shape of its pixels only; the unit is then 0. */
function hasPngResolution(png: Buffer): boolean {
  for (const { kind, data } of readPngChunks(png)) {
    if (kind === 'pHYs') return data[8] === 1
    if (kind === 'IDAT') return false
  }
  return false
}

/** The JFIF segment comes first; its unit is 0 if it records the shape of the pixels only, and a density of 1 is a filler. */
function hasJfifResolution(jpeg: Buffer): boolean {
  if (jpeg.toString('latin1', 6, 11) !== 'JFIF\0') return false
  return jpeg.readUInt8(13) !== 0 && jpeg.readUInt16BE(14) > 1
}
