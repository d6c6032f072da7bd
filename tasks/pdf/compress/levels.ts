export interface ImageQuality {
  dpi: number
  quality: number
}

export const LEVELS = {
  low: { dpi: 300, quality: 85 },
  recommended: { dpi: 150, quality: 75 },
  extreme: { dpi: 96, quality: 55 },
} as const satisfies Record<string, ImageQuality>

/** What comes below the chosen level if the result must be smaller still. */
const LOWER_STEPS: readonly ImageQuality[] = [
  LEVELS.recommended,
  LEVELS.extreme,
  { dpi: 72, quality: 45 },
  { dpi: 50, quality: 35 },
]

interface CompressOptions {
  level: keyof typeof LEVELS
  imageDpi?: number
  jpegQuality?: number
  targetBytes?: number
}

/** The qualities to try, best first, until the target is met. Without a target there is one. */
export function planQualities({ level, imageDpi, jpegQuality, targetBytes }: CompressOptions): ImageQuality[] {
  const first = { dpi: imageDpi ?? LEVELS[level].dpi, quality: jpegQuality ?? LEVELS[level].quality }
  if (targetBytes === undefined) return [first]
  const lower = LOWER_STEPS.filter(({ dpi, quality }) => dpi < first.dpi && quality < first.quality)
  return [first, ...lower]
}
