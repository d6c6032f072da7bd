import { clampPrice, type Micros, PRICE_CEILING, usd } from './money.ts'
import { type InputFile, isInputFile } from './schema.ts'

/**
 * The price of a call: `clamp(base + units x rate)`. If `basis` is `body`, the units follow from the body and the sizes
 * of its files; if it is `content`, they are known only after the files were probed (`InputFile.facts`).
 */
export interface Price<Input = never> {
  unit: string
  rateMicros: Micros
  baseMicros: Micros
  basis: 'body' | 'content'
  units(input: Input): number
  /** What a call costs besides its units, if that follows from its input. */
  extraMicros?(input: Input): Micros
  /** The same for a typical call, if `extraMicros` is the most that it may be. */
  expectedExtraMicros?(input: Input): Micros
  /** Other rates, for options or files that need more work. The first that applies replaces the plain rate. */
  variants?: readonly PriceVariant<Input>[]
  /** The units of a typical call, if `units` is the most that the options allow. */
  expectedUnits?(input: Input): number
  /** The fewest and the most units of any call, as far as the schema limits them. */
  minUnits?: number
  maxUnits?: number
  /** A sentence on when less is charged than the input says. */
  note?: string
  /** The least that any call costs, if that is more than the floor of all calls. */
  leastMicros?: Micros
  /** The settings from which it follows, in place of rates that the operator sets. */
  settings?: string
}

export interface PriceVariant<Input = never> {
  /** The condition in words, as it follows "if": `the output is AVIF`. */
  when: string
  /** How many times the plain rate. A whole number, so that it also applies to the operator's rate. */
  factor: number
  applies(input: Input): boolean
  /** What is counted, if it is not the unit of the plain rate. */
  unit?: string
  units?(input: Input): number
  maxUnits?: number
}

/** What one call costs: the rate that applies to it, and its units. */
export interface Tariff {
  unit: string
  rateMicros: Micros
  baseMicros: Micros
  units: number
  expectedUnits: number
  /** If it is less than `baseMicros`. */
  expectedBaseMicros?: Micros
  /** The condition of the variant that applies. */
  when?: string
  /** This call costs nothing, although others do. */
  isFree?: boolean
}

/** What the operator has set in place of the declared rate and base of a price. */
export interface Rates {
  rateMicros: Micros
  /** Not set by releases in which only the rate could be. */
  baseMicros?: Micros
  leastMicros?: Micros
}

/** Rates as a job carries them. */
export interface PlainRates {
  rateMicros?: string
  baseMicros?: string
}

export function toPlainRates({ rateMicros, baseMicros }: Partial<Rates> = {}): PlainRates {
  return {
    ...(rateMicros !== undefined && { rateMicros: rateMicros.toString() }),
    ...(baseMicros !== undefined && { baseMicros: baseMicros.toString() }),
  }
}

export function readRates({ rateMicros, baseMicros }: PlainRates = {}): Rates | undefined {
  if (rateMicros === undefined) return undefined
  return { rateMicros: BigInt(rateMicros), ...(baseMicros !== undefined && { baseMicros: BigInt(baseMicros) }) }
}

/** The price with what the operator has set. */
export function withRates<Tag extends Pick<PriceTag, 'rateMicros' | 'baseMicros'>>(price: Tag, rates?: Rates): Tag {
  return rates ? { ...price, ...rates } : price
}

export function findTariff<Input>(declared: Price<Input>, input: Input, rates?: Rates): Tariff {
  const price = withRates(declared, rates)
  const variant = price.variants?.find(({ applies }) => applies(input))
  const units = variant?.units ? variant.units(input) : price.units(input)
  const expectedExtra = price.expectedExtraMicros?.(input)
  return {
    unit: variant?.unit ?? price.unit,
    rateMicros: price.rateMicros * BigInt(variant?.factor ?? 1),
    baseMicros: price.baseMicros + (price.extraMicros?.(input) ?? 0n),
    units,
    expectedUnits: price.expectedUnits && !variant ? Math.min(units, price.expectedUnits(input)) : units,
    ...(expectedExtra !== undefined && { expectedBaseMicros: price.baseMicros + expectedExtra }),
    ...(variant && { when: variant.when }),
  }
}

export function computeAmount(price: Pick<Tariff, 'rateMicros' | 'baseMicros' | 'isFree'>, units: number): Micros {
  if (price.isFree) return 0n
  return clampPrice(price.baseMicros + BigInt(Math.max(0, Math.ceil(units))) * price.rateMicros)
}

/** What a run costs that tells what it really used. */
export function computeCharge(
  tariff: Tariff,
  { units = tariff.units, baseMicros = tariff.baseMicros }: { units?: number; baseMicros?: Micros },
): Micros {
  return computeAmount({ ...tariff, baseMicros }, units)
}

/** The amount that a call may cost at most. */
export function computeMaxAmount(tariff: Tariff): Micros {
  return computeAmount(tariff, tariff.units)
}

/** What any call can cost at least and at most, whatever its options and files. */
export function findPriceRange(price: PriceTag): { min: Micros; max: Micros } {
  const { rateMicros, baseMicros, minUnits = 0, maxUnits, variants = [], leastMicros = 0n } = price
  const maxOf = ({ factor, maxUnits: own }: Pick<PriceVariant, 'factor' | 'maxUnits'>) => {
    const units = own ?? maxUnits
    const rate = rateMicros * BigInt(factor)
    return units === undefined ? PRICE_CEILING : computeAmount({ baseMicros, rateMicros: rate }, units)
  }
  const amounts = [{ factor: 1 }, ...variants].map(maxOf)
  const min = computeAmount({ baseMicros, rateMicros }, minUnits)
  return {
    min: min > leastMicros ? min : leastMicros,
    max: amounts.reduce((max, amount) => (amount > max ? amount : max)),
  }
}

/** The price without its functions, as documents show it. */
export type PriceTag = Pick<
  Price,
  'unit' | 'rateMicros' | 'baseMicros' | 'basis' | 'minUnits' | 'maxUnits' | 'note' | 'leastMicros' | 'settings'
> & { variants?: readonly Pick<PriceVariant, 'when' | 'factor' | 'unit' | 'maxUnits'>[] }

/** A flat price, unless a variant applies. */
export function perCall<Input>(dollars: string, variants?: readonly PriceVariant<Input>[]): Price<Input> {
  const flat = {
    unit: 'call',
    rateMicros: usd(dollars),
    baseMicros: 0n,
    basis: 'body',
    minUnits: 1,
    maxUnits: 1,
  } as const
  return { ...flat, units: () => 1, variants }
}

/** A price per page; by default all pages of all input files count. */
export function perPage<Input>(dollars: string, units?: (input: Input) => number, unit = 'page'): Price<Input> {
  const rateMicros = usd(dollars)
  return { unit, rateMicros, baseMicros: 0n, basis: 'content', minUnits: 1, units: units ?? countPages }
}

/** A price per started `megapixels` of decoded input, over all frames. */
export function perStartedMegapixels<Input>(
  megapixels: number,
  dollars: string,
  variants?: readonly PriceVariant<Input>[],
): Price<Input> {
  return {
    unit: `started ${megapixels} megapixels`,
    rateMicros: usd(dollars),
    baseMicros: 0n,
    basis: 'content',
    minUnits: 1,
    units: input => Math.max(1, Math.ceil(countPixels(input) / (megapixels * 1e6))),
    variants,
  }
}

/** `base` covers the first `covered` bytes of all inputs together, `dollars` each started `step` bytes after them. */
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
      const bytes = collectFiles(input).reduce((sum, file) => sum + file.sizeBytes, 0) + (extraBytes?.(input) ?? 0)
      return Math.max(0, Math.ceil((bytes - options.covered) / options.step))
    },
  }
}

function countPages(input: unknown): number {
  return collectFiles(input).reduce((sum, { facts }) => sum + (facts.pages ?? 0), 0)
}

function countPixels(input: unknown): number {
  return collectFiles(input).reduce(
    (sum, { facts }) => sum + (facts.width ?? 0) * (facts.height ?? 0) * (facts.frames ?? 1),
    0,
  )
}

/** Finds the files anywhere in an input. */
export function collectFiles(value: unknown): InputFile[] {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return []
  if (isInputFile(value)) return [value]
  return Object.values(value).flatMap(collectFiles)
}

/** The price of a call as a dry run reports it. `atMost` is held; `expected` is a guess where less may be charged. */
export interface Quote {
  amountMicros: string
  unit: string
  units: number
  rateMicros: string
  baseMicros: string
  /** Why this rate applies, if it is not the plain one. */
  variant?: string
  capped: boolean
  /** The part that is charged for the baton that the output is delivered to. */
  deliveryMicros?: string
  expected: string
  atMost: string
  ceiling: string
}

/** `deliveryMicros` is the price of the baton that the output is delivered to. */
export function quoteOf(tariff: Tariff, deliveryMicros = 0n): Quote {
  const { unit, units, rateMicros, baseMicros, when, expectedUnits, expectedBaseMicros = baseMicros } = tariff
  const maxAmount = computeMaxAmount(tariff)
  const amount = (maxAmount + deliveryMicros).toString()
  return {
    amountMicros: amount,
    unit,
    units,
    rateMicros: rateMicros.toString(),
    baseMicros: baseMicros.toString(),
    ...(when !== undefined && { variant: when }),
    capped: baseMicros + BigInt(Math.ceil(units)) * rateMicros > maxAmount,
    ...(deliveryMicros > 0n && { deliveryMicros: deliveryMicros.toString() }),
    expected: (computeAmount({ ...tariff, baseMicros: expectedBaseMicros }, expectedUnits) + deliveryMicros).toString(),
    atMost: amount,
    ceiling: amount,
  }
}

/** The tariff that a quote was made from. A worker of the deploy before this one tells neither rate nor base. */
export function tariffOf({ unit, units, rateMicros = '0', baseMicros = '0', variant }: Quote): Tariff {
  const when = variant === undefined ? {} : { when: variant }
  return { unit, units, expectedUnits: units, rateMicros: BigInt(rateMicros), baseMicros: BigInt(baseMicros), ...when }
}
