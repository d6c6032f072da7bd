import sharp from 'sharp'
import { readHeader } from './source.ts'

export { analyseColors } from './analyse/colors.ts'
export { compareImages } from './analyse/comparison.ts'
export { describe } from './analyse/describe.ts'
export { extractLuma } from './analyse/luma.ts'
export { prepareOcrInput } from './analyse/ocr-input.ts'
export { comparePages, readThumbnails } from './analyse/page-difference.ts'
export { findPageRulings } from './analyse/page-rulings.ts'
export { measureSkew } from './analyse/skew.ts'
export { prepareVisionInput } from './analyse/vision-input.ts'
export { blur, sharpen } from './edit/blur.ts'
export { extend, trim } from './edit/borders.ts'
export { composite } from './edit/composite.ts'
export { crop } from './edit/crop.ts'
export { rotate } from './edit/geometry.ts'
export { resize } from './edit/resize.ts'
export { adjust, grayscale } from './edit/tone.ts'
export { compress } from './encode/compress.ts'
export { drawContactSheet } from './encode/contact-sheet.ts'
export { convert } from './encode/convert.ts'
export { encodeImage, encodePage, joinTiffPages, rotateRendering } from './encode/page.ts'
export { encodePdfImage } from './encode/pdf-image.ts'
export { stackVertically } from './encode/stack.ts'
export { drawEmoji, drawIcons, drawVector } from './encode/vector.ts'

/** Read from the header alone. */
export type ImageFacts =
  | { width: number; height: number; frames: number; pages?: number; format: string }
  | { unreadable: string }

export async function version(): Promise<string> {
  return `${sharp.versions.sharp} (libvips ${sharp.versions.vips})`
}

export function inspect(files: string[]): Promise<ImageFacts[]> {
  return Promise.all(
    files.map(async file => {
      try {
        const { width, height, frames, pages, format } = await readHeader(file)
        return { width, height, frames, format, ...(format === 'tiff' && { pages }) }
      } catch (error) {
        return { unreadable: (error as Error).message }
      }
    }),
  )
}
