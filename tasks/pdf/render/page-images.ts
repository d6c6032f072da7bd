import { type InputFile, type OutputFile, Problem } from '#kit'
import type { PageBoxes } from '../../formats/pdf/document.ts'
import { measurePage } from '../../formats/pdf/page-size.ts'
import { selectPages } from '../schema.ts'

export interface RenderInput {
  file: InputFile
  pages: string
  format: 'png' | 'jpeg' | 'webp' | 'tiff'
  dpi?: number
  width?: number
  height?: number
  box: 'crop' | 'media'
  multipage: boolean
}

export interface PageImage {
  page: number
  width: number
  height: number
  /** Pixels per inch. */
  dpi: number
}

const DEFAULT_DPI = 150
const MAX_PIXELS = 200_000_000
const MAX_SIDE_PIXELS = { webp: 16_383, png: 32_767, jpeg: 32_767, tiff: 32_767 }

export const IMAGE_FORMATS = {
  png: { type: 'image/png', extension: 'png' },
  jpeg: { type: 'image/jpeg', extension: 'jpg' },
  webp: { type: 'image/webp', extension: 'webp' },
  tiff: { type: 'image/tiff', extension: 'tif' },
} as const

export function checkSize({ dpi, width, height, format, multipage }: RenderInput): void {
  const fields = ['dpi', width === undefined ? 'height' : 'width']
  if (dpi !== undefined && (width ?? height) !== undefined) throw new Problem('CONFLICTING_OPTIONS', { fields })
  if (multipage && format !== 'tiff') throw new Problem('CONFLICTING_OPTIONS', { fields: ['multipage', 'format'] })
}

/** Computes the size of every page first, so that too many pixels are rejected before any page is rendered. */
export function planPageImages(input: RenderInput, pageBoxes: readonly PageBoxes[]): PageImage[] {
  const pageImages = selectPages(input.file, input.pages).map(page => planPageImage(input, pageBoxes[page - 1]!, page))
  const limit = MAX_SIDE_PIXELS[input.format]
  let totalPixels = 0
  for (const { page, width, height } of pageImages) {
    const side = Math.max(width, height)
    if (side > limit)
      throw new Problem('TOO_MANY_PIXELS', { limit, actual: side, of: `a side of ${input.format}`, page })
    totalPixels += width * height
  }
  if (totalPixels > MAX_PIXELS)
    throw new Problem('TOO_MANY_PIXELS', { limit: MAX_PIXELS, actual: totalPixels, of: 'all pages' })
  return pageImages
}

/** Computes the size in pixels of the page as displayed, rotation included. */
function planPageImage(
  { dpi = DEFAULT_DPI, width, height, box }: RenderInput,
  boxes: PageBoxes,
  page: number,
): PageImage {
  const [widthPoints, heightPoints] = measurePage(boxes, box)
  const scale =
    width === undefined && height === undefined
      ? dpi / 72
      : Math.min(
          width === undefined ? Infinity : width / widthPoints,
          height === undefined ? Infinity : height / heightPoints,
        )
  const toPixels = (points: number) => Math.max(1, Math.round(points * scale))
  return {
    page,
    width: toPixels(widthPoints),
    height: toPixels(heightPoints),
    dpi: Math.max(1, Math.round(scale * 72 * 100) / 100),
  }
}

/** A white background needs no compositing: pages are rendered on white anyway. */
export function isWhite(background: string): boolean {
  return /^(#f{3,4}|#f{6}|#f{8}|white)$/i.test(background)
}

export function describePart(
  { page, width, height }: PageImage,
  path: string,
  index: number,
  format: keyof typeof IMAGE_FORMATS,
) {
  const { type, extension } = IMAGE_FORMATS[format]
  return { index, path, contentType: type, name: `page-${page}.${extension}`, page, width, height }
}

export function toOutputFile({ path, contentType, name }: OutputFile): OutputFile {
  return { path, contentType, name }
}
