import { Problem, type Warning } from '#kit'
import type { DrawnImage } from '../pdf/document.ts'

interface ImageChoice {
  pages: readonly number[]
  minSide: number
  dedupe: boolean
}

/** An image to extract; the fields are those of its first use. */
export interface SelectedImage extends DrawnImage {
  occurrences: number
}

const MAX_PIXELS = 200_000_000

/** In drawing order; each image once, unless the caller asks for every use of it. */
export function selectImages(drawnImages: readonly DrawnImage[], choice: ImageChoice): SelectedImage[] {
  const pages = new Set(choice.pages)
  const large = drawnImages.filter(
    image => pages.has(image.page) && Math.min(image.width, image.height) >= choice.minSide,
  )
  const occurrences = new Map<string, number>()
  for (const image of large) occurrences.set(imageKeyOf(image), (occurrences.get(imageKeyOf(image)) ?? 0) + 1)
  const seen = new Set<string>()
  const selected = large.filter(
    image => !choice.dedupe || (!seen.has(imageKeyOf(image)) && seen.add(imageKeyOf(image))),
  )
  for (const { width, height, page } of selected) {
    const actual = width * height
    if (actual > MAX_PIXELS) throw new Problem('TOO_MANY_PIXELS', { limit: MAX_PIXELS, actual, page })
  }
  return selected.map(image => ({ ...image, occurrences: occurrences.get(imageKeyOf(image))! }))
}

/** An inline image has no object number; every use of one counts as a separate image. */
export function imageKeyOf({ object, page, drawIndex }: DrawnImage): string {
  return object ? object.join(' ') : `${page}/${drawIndex}`
}

/** Leaves out inline images and keeps each image object once. */
export function deduplicateObjects(images: readonly SelectedImage[]): SelectedImage[] {
  const objects = images.filter(({ object }) => object)
  return [...new Map(objects.map(image => [imageKeyOf(image), image])).values()]
}

/** To extract an inline image, Poppler writes every image of its page, so their total size is limited. */
export function groupInlineImages(
  selected: readonly SelectedImage[],
  drawnImages: readonly DrawnImage[],
): Map<number, SelectedImage[]> {
  const pages = new Map<number, SelectedImage[]>()
  for (const image of selected.filter(({ object }) => !object)) {
    pages.set(image.page, [...(pages.get(image.page) ?? []), image])
  }
  for (const page of pages.keys()) {
    const actual = drawnImages.reduce((sum, image) => sum + (image.page === page ? image.width * image.height : 0), 0)
    if (actual > MAX_PIXELS) throw new Problem('TOO_MANY_PIXELS', { limit: MAX_PIXELS, actual, page })
  }
  return pages
}

const COLOR_SPACES: Record<string, string> = {
  index: 'indexed',
  sep: 'separation',
  devn: 'device-n',
  '-': 'mask',
}

export const IMAGE_FORMATS = {
  png: { contentType: 'image/png', extension: 'png' },
  jpeg: { contentType: 'image/jpeg', extension: 'jpg' },
  jp2: { contentType: 'image/jp2', extension: 'jp2' },
} as const

export function describePart(
  image: SelectedImage,
  { path, kind }: { path: string; kind: keyof typeof IMAGE_FORMATS },
  index: number,
) {
  const { page, occurrences, width, height, dpi, color } = image
  const { contentType, extension } = IMAGE_FORMATS[kind]
  const colorSpace = COLOR_SPACES[color] ?? color
  const name = `image-${index + 1}.${extension}`
  return { index, path, contentType, name, page, occurrences, width, height, dpi, colorSpace }
}

export function warnOfUnreadable(count: number): Warning[] {
  if (count === 0) return []
  return [{ code: 'IMAGES_UNREADABLE', message: `${count} inline images cannot be read and are left out.` }]
}
