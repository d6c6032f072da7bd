import { type InputFile, type OutputFile, Problem, pagesOf } from '#kit'
import { pageCountOf } from './shape.ts'

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

type Frame = readonly [left: number, bottom: number, width: number, height: number]

export interface Paper {
  media: Frame
  crop: Frame
  rotate: number
  userUnit: number
}

export interface Picture {
  page: number
  width: number
  height: number
  /** Pixels an inch. */
  dpi: number
}

const USUAL_DPI = 150
const MOST_PIXELS = 200_000_000
const LONGEST_SIDE = { webp: 16_383, png: 32_767, jpeg: 32_767, tiff: 32_767 }
/** Drawn at once, before they are encoded and their pixels dropped. */
const PIXELS_AT_ONCE = 40_000_000
const PAGES_AT_ONCE = 16

export const IMAGE_FORMATS = {
  png: { type: 'image/png', ending: 'png' },
  jpeg: { type: 'image/jpeg', ending: 'jpg' },
  webp: { type: 'image/webp', ending: 'webp' },
  tiff: { type: 'image/tiff', ending: 'tif' },
} as const

/** Each page once, in the order it was named. */
export function pagesToDraw({ file, pages }: Pick<RenderInput, 'file' | 'pages'>): number[] {
  return [...new Set(pagesOf(pages, pageCountOf(file)))]
}

export function checkSize({ dpi, width, height, format, multipage }: RenderInput): void {
  const fields = ['dpi', width === undefined ? 'height' : 'width']
  if (dpi !== undefined && (width ?? height) !== undefined) throw new Problem('CONFLICTING_OPTIONS', { fields })
  if (multipage && format !== 'tiff') throw new Problem('CONFLICTING_OPTIONS', { fields: ['multipage', 'format'] })
}

/** How large each page becomes; more pixels than may be drawn are refused before any is. */
export function picturesOf(input: RenderInput, papers: readonly Paper[]): Picture[] {
  const pictures = pagesToDraw(input).map(page => pictureOf(input, papers[page - 1]!, page))
  const limit = LONGEST_SIDE[input.format]
  let all = 0
  for (const { page, width, height } of pictures) {
    const side = Math.max(width, height)
    if (side > limit)
      throw new Problem('TOO_MANY_PIXELS', { limit, actual: side, of: `a side of ${input.format}`, page })
    all += width * height
  }
  if (all > MOST_PIXELS) throw new Problem('TOO_MANY_PIXELS', { limit: MOST_PIXELS, actual: all, of: 'all pages' })
  return pictures
}

/** Points to pixels, upright as the page is seen. */
function pictureOf({ dpi = USUAL_DPI, width, height, box }: RenderInput, paper: Paper, page: number): Picture {
  const [, , across, up] = box === 'crop' ? paper.crop : paper.media
  const isTurned = paper.rotate % 180 !== 0
  const [wide, high] = [(isTurned ? up : across) * paper.userUnit, (isTurned ? across : up) * paper.userUnit]
  const scale =
    width === undefined && height === undefined
      ? dpi / 72
      : Math.min(width === undefined ? Infinity : width / wide, height === undefined ? Infinity : height / high)
  const pixels = (points: number) => Math.max(1, Math.round(points * scale))
  return { page, width: pixels(wide), height: pixels(high), dpi: Math.max(1, Math.round(scale * 72 * 100) / 100) }
}

/** Groups that are drawn together. */
export function batchesOf(pictures: readonly Picture[]): Picture[][] {
  const batches: Picture[][] = []
  let pixels = 0
  for (const picture of pictures) {
    const size = picture.width * picture.height
    const last = batches.at(-1)
    if (last && last.length < PAGES_AT_ONCE && pixels + size <= PIXELS_AT_ONCE) {
      last.push(picture)
      pixels += size
    } else {
      batches.push([picture])
      pixels = size
    }
  }
  return batches
}

/** Paper as it mostly is: drawn on at once, without a ground laid under it later. */
export function isWhite(background: string): boolean {
  return /^(#f{3,4}|#f{6}|#f{8}|white)$/i.test(background)
}

export function partOf(
  { page, width, height }: Picture,
  path: string,
  index: number,
  format: keyof typeof IMAGE_FORMATS,
) {
  const { type, ending } = IMAGE_FORMATS[format]
  return { index, path, contentType: type, name: `page-${page}.${ending}`, page, width, height }
}

export function fileOf({ path, contentType, name }: OutputFile): OutputFile {
  return { path, contentType, name }
}
