import { toSvg } from 'jdenticon'

export function bind() {
  return { draw }
}

interface IdenticonOptions {
  /** In degrees. */
  hues: readonly number[]
  /** From 0 to 1. */
  saturation?: number
}

/** Large enough that rounding to whole pixels is not seen. */
const SIDE = 1000

/** The shapes of a Jdenticon, on a square with a side of 1. */
async function draw(value: string, { hues, saturation }: IdenticonOptions): Promise<string> {
  const svg = toSvg(value, SIDE, {
    ...(hues.length > 0 && { hues: [...hues] }),
    ...(saturation !== undefined && { saturation: { color: saturation, grayscale: 0 } }),
    padding: 0,
  })
  return `<g transform="scale(${1 / SIDE})">${svg.replace(/^<svg[^>]*>|<\/svg>$/g, '')}</g>`
}
