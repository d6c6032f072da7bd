import type { InputFile } from '#kit'
import type { Tools } from '../../kit/operation.ts'

interface ImageFacts {
  format: string
  pages: number
  frames: number
  dpi?: number
  orientation: number
  hasAlpha: boolean
  bitDepth: number
  progressive: boolean
  icc?: unknown
}

/** PDF can embed JPEG data as it is, and PNG data unless its colours or orientation cannot be expressed in PDF. */
function canEmbedAsIs({ format, orientation, bitDepth, progressive, icc }: ImageFacts): boolean {
  if (format === 'jpeg') return bitDepth === 8
  return format === 'png' && orientation === 1 && bitDepth <= 8 && !progressive && !icc
}

const DEFAULT_DPI = 96
/** SVG images are rasterized at this resolution. */
const VECTOR_DPI = 300

/** A TIFF becomes one page per page, every other image a single page. */
export function planImagePages(facts: ImageFacts, options: { dpi?: number; quality?: number }) {
  const dpi = options.dpi ?? facts.dpi ?? DEFAULT_DPI
  const isEmbeddedAsIs = options.quality === undefined && canEmbedAsIs(facts)
  if (isEmbeddedAsIs) return [{ isEmbeddedAsIs, orientation: facts.orientation, dpi, page: undefined }]
  const count = facts.frames === 1 ? facts.pages : 1
  return Array.from({ length: count }, (_, index) => ({
    isEmbeddedAsIs,
    orientation: 1,
    dpi: facts.format === 'svg' ? VECTOR_DPI : dpi,
    page: count > 1 ? index + 1 : undefined,
  }))
}

/** These formats usually hold photographs, which would be large as PNG. */
const PHOTO_FORMATS = new Set(['heic', 'heif', 'jxl', 'jp2', 'avif'])

export function buildConvertOptions(
  { format, hasAlpha }: ImageFacts,
  { quality, background, page }: { quality?: number; background: string; page?: number },
) {
  const isPhoto = quality !== undefined || (PHOTO_FORMATS.has(format) && !hasAlpha)
  const to = isPhoto ? ('jpeg' as const) : ('png' as const)
  const fixedOptions = { lossless: false, animation: 'first', metadata: 'strip', icc: 'srgb', tolerant: false } as const
  const density = format === 'svg' ? VECTOR_DPI : DEFAULT_DPI
  return {
    ...fixedOptions,
    to,
    format: to,
    quality: isPhoto ? (quality ?? 92) : undefined,
    background,
    page,
    density,
    sizes: [],
    // The writer of PDFs takes a sample for a byte.
    encoder: { bitDepth: 8 as const },
  }
}

/** Creates a document with one page per page of an image. The plan of no other size or margin. */
export async function createImageDocument(
  file: InputFile,
  { sharp, libpdf, maxPages, to }: Pick<Tools, 'sharp' | 'libpdf'> & { maxPages: number; to: string },
): Promise<string> {
  const image = await sharp.describe(file.path, { stats: false, hashes: false })
  const background = '#ffffff'
  const pages = planImagePages(image, {}).slice(0, maxPages)
  const assets: { path?: string; bytes?: Uint8Array }[] = []
  for (const { isEmbeddedAsIs, page } of pages)
    assets.push(
      isEmbeddedAsIs
        ? { path: file.path }
        : await sharp.convert(file.path, buildConvertOptions(image, { background, page })),
    )
  const images = pages.map(({ orientation, dpi }) => ({ orientation, dpi }))
  const plan = { images, orientation: 'auto', margin: 0, fit: 'contain', background } as const
  return libpdf.createFromImages(assets, { ...plan, images, to })
}
