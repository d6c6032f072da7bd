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

const BYTE_ORDER_MARKS: Record<string, string> = { '255,254': 'utf-16le', '254,255': 'utf-16be' }

/** The text of an SVG file. */
export async function decodeSvg(file: InputFile): Promise<string> {
  const bytes = await file.bytes()
  try {
    return new TextDecoder(BYTE_ORDER_MARKS[bytes.subarray(0, 2).join()] ?? 'utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Problem('IMAGE_DECODE_FAILED', { detail: 'neither UTF-8 nor UTF-16' })
  }
}
