import { Problem, type Warning } from '#kit'
import type { Rgba } from './raster-shape.ts'

export const LEVELS = ['L', 'M', 'Q', 'H'] as const
export type Level = (typeof LEVELS)[number]
export type Variant = 'qr' | 'micro' | 'rmqr'

const LEVELS_OF: Record<Variant, readonly Level[]> = { qr: LEVELS, micro: ['L', 'M', 'Q'], rmqr: ['M', 'H'] }
const MOST_BYTES = 2954

export function checkVariant({ variant, ecc, version }: { variant: Variant; ecc: Level; version?: number }): void {
  if (version !== undefined && variant !== 'qr') {
    throw new Problem('CONFLICTING_OPTIONS', { fields: ['version', 'variant'] })
  }
  const allowed = LEVELS_OF[variant]
  if (!allowed.includes(ecc)) throw new Problem('INVALID_PARAM', { field: 'ecc', allowed })
}

/** How much would fit, and whether less protection would do. */
export async function capacityProblem(
  text: string,
  ecc: Level,
  variant: Variant,
  fits: (text: string, ecc: Level) => Promise<boolean>,
): Promise<Problem> {
  let suggestEcc: Level | undefined
  for (const level of LEVELS_OF[variant].slice(0, LEVELS_OF[variant].indexOf(ecc)).reverse()) {
    if (suggestEcc === undefined && (await fits(text, level))) suggestEcc = level
  }
  let [maxBytes, most] = [0, MOST_BYTES]
  while (most - maxBytes > 1) {
    const middle = (maxBytes + most) >> 1
    if (await fits('x'.repeat(middle), ecc)) maxBytes = middle
    else most = middle
  }
  return new Problem('QR_CAPACITY_EXCEEDED', {
    bytes: Buffer.byteLength(text),
    maxBytes,
    ...(suggestEcc && { suggestEcc }),
  })
}

export function versionName(variant: Variant, { width, height }: { width: number; height: number }): string {
  if (variant === 'rmqr') return `R${height}x${width}`
  return variant === 'micro' ? `M${(width - 9) / 2}` : String((width - 17) / 4)
}

export function warningsOf(variant: Variant, margin: number, light: Rgba): Warning[] {
  const needed = variant === 'qr' ? 4 : 2
  const warnings: Warning[] = []
  if (margin < needed) {
    warnings.push({ code: 'QUIET_ZONE_SMALL', message: `Scanners expect ${needed} squares of light around.` })
  }
  if (light.a < 255) {
    warnings.push({ code: 'TRANSPARENT_LIGHT', message: 'It can be read on white; on dark ground it cannot.' })
  }
  return warnings
}
