import sharp from 'sharp'
import { sourceOf } from './sharp-source.ts'

export { extend, trim } from './sharp-borders.ts'
export { colors } from './sharp-colors.ts'
export { composite } from './sharp-composite.ts'
export { compress } from './sharp-compress.ts'
export { convert } from './sharp-convert.ts'
export { crop } from './sharp-crop.ts'
export { describe } from './sharp-describe.ts'
export { rotate } from './sharp-geometry.ts'
export { legible } from './sharp-legible.ts'
export { luma } from './sharp-luma.ts'
export { encodePage, encodePicture, joinPages } from './sharp-page.ts'
export { resize } from './sharp-resize.ts'
export { contactSheet } from './sharp-sheet.ts'
export { blur, sharpen } from './sharp-soft.ts'
export { stack } from './sharp-stack.ts'
export { adjust, grayscale } from './sharp-tone.ts'

/** What is known of a picture from its header alone. */
export type ImageFacts = { width: number; height: number; frames: number; format: string } | { unreadable: string }

export async function version(): Promise<string> {
  return `${sharp.versions.sharp} (libvips ${sharp.versions.vips})`
}

export function inspect(files: string[]): Promise<ImageFacts[]> {
  return Promise.all(
    files.map(async file => {
      try {
        const { width, height, frames, format } = await sourceOf(file)
        return { width, height, frames, format }
      } catch (error) {
        return { unreadable: (error as Error).message }
      }
    }),
  )
}
