import { type InputFile, Problem, type Tools } from '#kit'
import { stripImageMetadata } from '../../formats/image-metadata/strip.ts'
import type { KeepableMetadata } from '../../formats/image-metadata/strip-exif.ts'
import { countPngFrames } from '../../formats/raster/animated-png.ts'
import type { ImageFormat } from '../../formats/raster/image.ts'

const STRIPPABLE_TYPES = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/tiff', 'image/avif'])
const DISPLAY_METADATA: readonly KeepableMetadata[] = ['orientation', 'icc', 'dpi']

/** Whether a file is an animated PNG, of which only the first frame could be encoded again. */
export async function hasSeveralFrames(file: InputFile): Promise<boolean> {
  if (file.type !== 'image/png') return false
  const { buffer, byteOffset, length } = await file.bytes()
  return countPngFrames(Buffer.from(buffer, byteOffset, length)) > 1
}

/** The input as an output, without its private metadata. */
export async function readOriginal(
  file: InputFile,
  format: ImageFormat,
  metadata: 'strip' | 'keep' | 'copyright',
  { sharp }: Pick<Tools, 'sharp'>,
) {
  const bytes = await readWithoutMetadata(file, metadata)
  const output = { bytes, contentType: file.type, name: `unchanged${file.type.replace(/^image./, '.')}` }
  const facts = await sharp.describe(file.path, { stats: false, hashes: false })
  const { displayWidth: width, displayHeight: height, pages, hasAlpha } = facts
  return { output, image: { width, height, format, pages, hasAlpha }, outputBytes: bytes.length }
}

/** The input with its encoded pixels untouched and only the metadata that the caller keeps. */
async function readWithoutMetadata(file: InputFile, metadata: 'strip' | 'keep' | 'copyright'): Promise<Uint8Array> {
  const bytes = await file.bytes()
  if (metadata === 'keep' || !STRIPPABLE_TYPES.has(file.type)) return bytes
  try {
    return stripImageMetadata(
      bytes,
      file.type,
      metadata === 'copyright' ? [...DISPLAY_METADATA, 'copyright'] : DISPLAY_METADATA,
    ).bytes
  } catch (error) {
    if (error instanceof Problem) return bytes
    throw error
  }
}
