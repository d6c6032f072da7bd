import { Problem } from '#kit'

export interface GifSettings {
  fps: number
  width: number
  colors: number
}

/** Only a gif has a palette. */
export function checkPalette({ format, colors, dither }: { format: string; colors: number; dither: string }): void {
  const idle = [...(colors === 256 ? [] : ['colors']), ...(dither === 'bayer' ? [] : ['dither'])]
  if (format !== 'gif' && idle.length > 0) throw new Problem('CONFLICTING_OPTIONS', { fields: ['format', ...idle] })
}

const MIN: GifSettings = { fps: 5, width: 16, colors: 32 }
const MAX_STEPS = 8

/** Ever smaller settings: fewer frames first, then a smaller picture, then fewer colours. */
export function listSmaller({ fps, width, colors }: GifSettings): GifSettings[] {
  const steps: GifSettings[] = []
  let current = { fps, width, colors }
  while (steps.length < MAX_STEPS) {
    if (current.fps > MIN.fps && steps.length < 2)
      current = { ...current, fps: Math.max(MIN.fps, Math.round(current.fps * 0.7)) }
    else if (current.width > MIN.width)
      current = { ...current, width: Math.max(MIN.width, Math.round(current.width * 0.7)) }
    else if (current.colors > MIN.colors) current = { ...current, colors: Math.max(MIN.colors, current.colors / 2) }
    else break
    steps.push(current)
  }
  return steps
}
