import type { FileContent } from '#kit'
import type { Size } from '../geometry/region.ts'

export const IMAGE_FORMATS = ['jpeg', 'png', 'webp', 'avif', 'gif', 'tiff'] as const
export type ImageFormat = (typeof IMAGE_FORMATS)[number]

export const TARGET_FORMATS = [...IMAGE_FORMATS, 'ico', 'bmp', 'pdf'] as const
export type TargetFormat = (typeof TARGET_FORMATS)[number]

export interface EncodedImage extends FileContent, Size {
  format: ImageFormat
  /** Frames of an animation, or pages of a document. */
  pages: number
  hasAlpha: boolean
}

/** One byte per pixel. */
export interface GreyImage extends Size {
  grey: Uint8Array
}

/** The dark and light squares of a two-dimensional code. */
export interface ModuleMatrix extends Size {
  /** Row by row; 1 is dark. */
  modules: Uint8Array
}
