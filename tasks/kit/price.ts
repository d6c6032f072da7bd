import { clampPrice, type Micros, usd } from './money.ts'
import type { InputFile } from './schema.ts'

/**
 * What a call costs: `clamp(base + units x rate)`. Where `basis` is `body`, the intake knows the units from the body
 * and the sizes of its files; where it is `content`, only after the probe (`InputFile.facts`).
 */
export interface Price<Input = never> {
  unit: string
  rateMicros: Micros
  baseMicros: Micros
  basis: 'body' | 'content'
  units(input: Input): number
}

export function amountOf(price: Pick<Price, 'rateMicros' | 'baseMicros'>, units: number, rate?: Micros): Micros {
  return clampPrice(price.baseMicros + BigInt(Math.max(0, Math.ceil(units))) * (rate ?? price.rateMicros))
}

/** A flat price. */
export function perCall<Input>(dollars: string): Price<Input> {
  return { unit: 'call', rateMicros: usd(dollars), baseMicros: 0n, basis: 'body', units: () => 1 }
}

/** A price by pages; by default all pages of all input files. */
export function perPage<Input>(dollars: string, units?: (input: Input) => number): Price<Input> {
  const rateMicros = usd(dollars)
  return {
    unit: 'page',
    rateMicros,
    baseMicros: 0n,
    basis: 'content',
    units: units ?? (input => sumOf(input, 'pages')),
  }
}

/** A price by started megapixels of decoded input, frames counted. */
export function perStartedMegapixels<Input>(
  mega: number,
  dollars: string,
  times?: (input: Input) => number,
): Price<Input> {
  return {
    unit: `started ${mega} megapixels`,
    rateMicros: usd(dollars),
    baseMicros: 0n,
    basis: 'content',
    units: input => Math.max(1, Math.ceil(pixelsOf(input) / (mega * 1e6))) * (times?.(input) ?? 1),
  }
}

/** `base` covers the first `covered` bytes, `dollars` every started `step` bytes after them, over all inputs. */
export function perStartedBytes<Input>(
  options: { base: string; covered: number; step: number; dollars: string },
  extraBytes?: (input: Input) => number,
): Price<Input> {
  return {
    unit: `started ${options.step / 2 ** 20} MiB beyond the first ${options.covered / 2 ** 20} MiB`,
    rateMicros: usd(options.dollars),
    baseMicros: usd(options.base),
    basis: 'body',
    units: input => {
      const bytes = filesIn(input).reduce((sum, file) => sum + file.sizeBytes, 0) + (extraBytes?.(input) ?? 0)
      return Math.max(0, Math.ceil((bytes - options.covered) / options.step))
    },
  }
}

function sumOf(input: unknown, fact: 'pages'): number {
  return filesIn(input).reduce((sum, file) => sum + (file.facts[fact] ?? 0), 0)
}

function pixelsOf(input: unknown): number {
  return filesIn(input).reduce(
    (sum, { facts }) => sum + (facts.width ?? 0) * (facts.height ?? 0) * (facts.frames ?? 1),
    0,
  )
}

/** The files anywhere in a ready input. */
export function filesIn(value: unknown): InputFile[] {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return []
  if (isInputFile(value)) return [value]
  return Object.values(value).flatMap(filesIn)
}

function isInputFile(value: object): value is InputFile {
  return 'facts' in value && 'sizeBytes' in value
}
