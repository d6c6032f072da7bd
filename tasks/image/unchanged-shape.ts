import { type InputFile, Problem } from '#kit'
import type { Kept } from './strip-exif-shape.ts'
import { strip } from './strip-shape.ts'

const STRIPPED = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/tiff', 'image/avif'])
const SHOWN: readonly Kept[] = ['orientation', 'icc', 'dpi']

/** The input with its coded pixels as they came, and of its metadata only what the caller lets stay. */
export async function unchanged(file: InputFile, metadata: 'strip' | 'keep' | 'copyright'): Promise<Uint8Array> {
  const bytes = await file.bytes()
  if (metadata === 'keep' || !STRIPPED.has(file.type)) return bytes
  try {
    return strip(bytes, file.type, metadata === 'copyright' ? [...SHOWN, 'copyright'] : SHOWN).bytes
  } catch (error) {
    if (error instanceof Problem) return bytes
    throw error
  }
}

const MARKS: Record<string, string> = { '255,254': 'utf-16le', '254,255': 'utf-16be' }

/** The text of a vector picture. */
export async function vectorText(file: InputFile): Promise<string> {
  const bytes = await file.bytes()
  try {
    return new TextDecoder(MARKS[bytes.subarray(0, 2).join()] ?? 'utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Problem('IMAGE_DECODE_FAILED', { detail: 'neither UTF-8 nor UTF-16' })
  }
}
