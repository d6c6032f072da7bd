import * as vega from 'vega'

/** What the types of vega leave out. */
interface Parts {
  transforms: Record<string, { prototype: { transform(settings: never, pulse: never): unknown } } | undefined>
  expressionFunction(name: string): (this: unknown, ...args: unknown[]) => unknown
  expressionFunction(name: string, run: (this: unknown, ...args: never[]) => unknown): void
  pad(text: string, length: number, padding?: string, align?: string): string
  textMetrics: { width(item: TextItem, text: unknown): number }
  resetSVGDefIds(): void
  setRandom(random: () => number): void
  randomLCG(seed: number): () => number
}

export interface TextItem {
  fontSize?: number
  fontWeight?: string | number
}

const parts = vega as unknown as Parts
export const { transforms, expressionFunction, pad, textMetrics, resetSVGDefIds, setRandom, randomLCG } = parts

export function sequence(start: number, stop: number, step: number): number[] {
  const length = Math.max(0, Math.ceil((stop - start) / step))
  return Array.from({ length }, (_, index) => start + index * step)
}
