/** Points of an upright page. */
const SIZES = {
  A3: [841.89, 1190.55],
  A4: [595.28, 841.89],
  A5: [419.53, 595.28],
  A6: [297.64, 419.53],
  letter: [612, 792],
  legal: [612, 1008],
} as const

type PageSize = keyof typeof SIZES

export const PAGE_SIZES = Object.keys(SIZES) as PageSize[]

export function sizeOfPage(name: 'auto' | PageSize): [number, number] | undefined {
  return name === 'auto' ? undefined : [...SIZES[name]]
}

interface Facts {
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

/** PDF holds JPEG as it is, and PNG too unless its colours or its turn say something that PDF cannot. */
function staysAsItIs({ format, orientation, bitDepth, progressive, icc }: Facts): boolean {
  if (format === 'jpeg') return bitDepth === 8
  return format === 'png' && orientation === 1 && bitDepth <= 8 && !progressive && !icc
}

const NATURAL_DPI = 96
/** Points of a drawing on a page become this many pixels. */
const DRAWING_DPI = 300

/** The pages a picture becomes: those of a TIFF, of anything else one. */
export function pagesOfPicture(facts: Facts, wish: { dpi?: number; quality?: number }) {
  const dpi = wish.dpi ?? facts.dpi ?? NATURAL_DPI
  const isAsItIs = wish.quality === undefined && staysAsItIs(facts)
  if (isAsItIs) return [{ isAsItIs, orientation: facts.orientation, dpi, page: undefined }]
  const count = facts.frames === 1 ? facts.pages : 1
  return Array.from({ length: count }, (_, index) => ({
    isAsItIs,
    orientation: 1,
    dpi: facts.format === 'svg' ? DRAWING_DPI : dpi,
    page: count > 1 ? index + 1 : undefined,
  }))
}

/** Formats of cameras hold photographs, which PNG would only make large. */
const PHOTOS = new Set(['heic', 'heif', 'jxl', 'jp2', 'avif'])

export function pictureOptions(
  { format, hasAlpha }: Facts,
  { quality, background, page }: { quality?: number; background: string; page?: number },
) {
  const isPhoto = quality !== undefined || (PHOTOS.has(format) && !hasAlpha)
  const to = isPhoto ? ('jpeg' as const) : ('png' as const)
  const plain = { lossless: false, animation: 'first', metadata: 'strip', icc: 'srgb', tolerant: false } as const
  const density = format === 'svg' ? DRAWING_DPI : NATURAL_DPI
  return {
    ...plain,
    to,
    format: to,
    quality: isPhoto ? (quality ?? 92) : undefined,
    background,
    page,
    density,
    sizes: [],
  }
}
