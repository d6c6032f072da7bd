import { Type } from 'typebox'
import type { Rgba } from './raster-shape.ts'

export function Tint(options: Record<string, unknown> = {}) {
  return Type.String({ minLength: 1, maxLength: 100, description: 'A CSS colour.', ...options })
}

/** As WCAG reckons it, on white where a colour is transparent. */
export function contrastOf(one: Rgba, other: Rgba): number {
  const [low, high] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b) as [number, number]
  return Math.round(((high + 0.05) / (low + 0.05)) * 100) / 100
}

export function luminanceOf({ r, g, b, a }: Rgba): number {
  const linear = (channel: number) => {
    const share = (channel * a + 255 * (255 - a)) / 255 / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
}
