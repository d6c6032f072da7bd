import { Problem, type Warning } from '#kit'
import type { Rgba } from '../raster/png-svg.ts'

export const LEVELS = ['L', 'M', 'Q', 'H'] as const
type Level = (typeof LEVELS)[number]
type Variant = 'qr' | 'micro' | 'rmqr'

const LEVELS_OF: Record<Variant, readonly Level[]> = { qr: LEVELS, micro: ['L', 'M', 'Q'], rmqr: ['M', 'H'] }
/** Bytes that the largest code holds, by variant and level. */
const MAX_BYTES: Record<Variant, Partial<Record<Level, number>>> = {
  qr: { L: 2953, M: 2331, Q: 1663, H: 1273 },
  micro: { L: 15, M: 13, Q: 9 },
  rmqr: { M: 150, H: 74 },
}
/** Digits take the least room, 3.33 bits each. */
const DIGITS_PER_BYTE = 2.5

export function checkVariant({ variant, ecc, version }: { variant: Variant; ecc: Level; version?: number }): void {
  if (version !== undefined && variant !== 'qr') {
    throw new Problem('CONFLICTING_OPTIONS', { fields: ['version', 'variant'] })
  }
  const allowed = LEVELS_OF[variant]
  if (!allowed.includes(ecc)) throw new Problem('INVALID_PARAM', { field: 'ecc', allowed })
}

/** Whether a text is longer than the largest code of this kind could hold if it were all digits. */
export function isTooLong(text: string, variant: Variant, ecc: Level): boolean {
  return text.length > MAX_BYTES[variant][ecc]! * DIGITS_PER_BYTE
}

/** Creates a Problem that says how much would fit, and whether a lower error correction level would do. */
export async function createCapacityProblem(
  text: string,
  { ecc, variant, version }: { ecc: Level; variant: Variant; version?: number },
  fits: (text: string, ecc: Level) => Promise<boolean>,
): Promise<Problem> {
  let suggestEcc: Level | undefined
  for (const level of LEVELS_OF[variant].slice(0, LEVELS_OF[variant].indexOf(ecc)).reverse()) {
    if (suggestEcc === undefined && !isTooLong(text, variant, level) && (await fits(text, level))) suggestEcc = level
  }
  const maxBytes = version === undefined ? MAX_BYTES[variant][ecc] : await findLargestFit(ecc, fits)
  return new Problem('QR_CAPACITY_EXCEEDED', {
    bytes: Buffer.byteLength(text),
    maxBytes,
    ...(suggestEcc && { suggestEcc }),
  })
}

async function findLargestFit(ecc: Level, fits: (text: string, ecc: Level) => Promise<boolean>): Promise<number> {
  let [maxBytes, tooMany] = [0, MAX_BYTES.qr[ecc]! + 1]
  while (tooMany - maxBytes > 1) {
    const middle = (maxBytes + tooMany) >> 1
    if (await fits('x'.repeat(middle), ecc)) maxBytes = middle
    else tooMany = middle
  }
  return maxBytes
}

export function nameVersion(variant: Variant, { width, height }: { width: number; height: number }): string {
  if (variant === 'rmqr') return `R${height}x${width}`
  return variant === 'micro' ? `M${(width - 9) / 2}` : String((width - 17) / 4)
}

export function listWarnings(variant: Variant, margin: number, light: Rgba): Warning[] {
  const needed = variant === 'qr' ? 4 : 2
  const warnings: Warning[] = []
  if (margin < needed) {
    warnings.push({ code: 'QUIET_ZONE_SMALL', message: `Scanners expect a quiet zone of ${needed} modules.` })
  }
  if (light.a < 255) {
    warnings.push({
      code: 'TRANSPARENT_LIGHT',
      message: 'The code can be read on a light background, but not on a dark one.',
    })
  }
  return warnings
}
