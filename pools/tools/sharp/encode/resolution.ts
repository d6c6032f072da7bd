import type { ImageFormat } from '../../../../tasks/formats/raster/image.ts'
import { withoutPngChunk } from '../../../../tasks/formats/raster/png-chunks.ts'

/** Removes the resolution that libvips makes up for a PNG or TIFF of which it knows none. */
export function removeResolution(bytes: Buffer, format: ImageFormat): Buffer {
  if (format === 'png') return withoutPngChunk(bytes, 'pHYs')
  if (format === 'tiff') clearTiffResolution(bytes)
  return bytes
}

const [X_RESOLUTION, Y_RESOLUTION, RESOLUTION_UNIT] = [282, 283, 296]
const NO_UNIT = 1

/** A TIFF must state a resolution; without a unit it is the shape of the pixels only. */
function clearTiffResolution(tiff: Buffer): void {
  const directory = tiff.readUInt32LE(4)
  const count = tiff.readUInt16LE(directory)
  for (let index = 0; index < count; index++) {
    const entry = directory + 2 + index * 12
    const tag = tiff.readUInt16LE(entry)
    if (tag === RESOLUTION_UNIT) tiff.writeUInt16LE(NO_UNIT, entry + 8)
    if (tag !== X_RESOLUTION && tag !== Y_RESOLUTION) continue
    const ratio = tiff.readUInt32LE(entry + 8)
    tiff.writeUInt32LE(1, ratio)
    tiff.writeUInt32LE(1, ratio + 4)
  }
}
