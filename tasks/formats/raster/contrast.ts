import { Type } from 'typebox'
import type { Rgba } from './png-svg.ts'

export function CssColor(options: Record<string, unknown> = {}) {
  return Type.String({ minLength: 1, maxLength: 100, description: 'A CSS colour.', ...options })
}

/** The contrast ratio as WCAG defines it; transparent colours are blended with white. */
export function computeContrast(one: Rgba, other: Rgba): number {
  const [low, high] = [relativeLuminance(one), relativeLuminance(other)].sort((a, b) => a - b) as [number, number]
  return Math.round(((high + 0.05) / (low + 0.05)) * 100) / 100
}

function relativeLuminance({ r, g, b, a }: Rgba): number {
  const linear = (channel: number) => {
    const share = (channel * a + 255 * (255 - a)) / 255 / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
}
