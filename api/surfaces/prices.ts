import { type Entry, findPriceRange, formatUsd, type PriceTag } from '#kit'
import { isPaid, type PaidEntry, priceOf, type SurfaceOptions, withNamedWildcards } from './entries.ts'

/** A price as programs read it. A call costs base plus units times rate, within floor and ceiling. */
export interface ListedPrice {
  unit: string
  rateMicros: string
  baseMicros: string
  floorMicros: string
  ceilingMicros: string
  /** `body`: the price is known from the request; `content`: it is known once the input file has been inspected. */
  basis: 'body' | 'content'
  /** Other rates; the first whose condition is met replaces unit and rate. */
  variants?: { when: string; unit: string; rateMicros: string }[]
  note?: string
}

/** The prices by name. */
export function listPrices(
  entries: readonly Entry[],
  ratesOf?: SurfaceOptions['ratesOf'],
): Record<string, ListedPrice & Pick<Entry, 'method' | 'path'>> {
  const pricesByName = withNamedWildcards(entries)
    .filter(isPaid)
    .map(entry => {
      const { name, method, path } = entry
      return [name, { method, path, ...listPrice(priceOf(entry, ratesOf)) }] as const
    })
  return Object.fromEntries(pricesByName)
}

export function listPrice(price: PriceTag): ListedPrice {
  const { unit, rateMicros, baseMicros, basis, note } = price
  const { min, max } = findPriceRange(price)
  return {
    unit,
    rateMicros: String(rateMicros),
    baseMicros: String(baseMicros),
    floorMicros: String(min),
    ceilingMicros: String(max),
    basis,
    ...(price.variants && { variants: listVariants(price) }),
    ...(note !== undefined && { note }),
  }
}

export function listVariants({ unit, rateMicros, variants = [] }: PriceTag) {
  return variants.map(({ when, factor, unit: own = unit }) => ({
    when,
    unit: own,
    rateMicros: String(rateMicros * BigInt(factor)),
  }))
}

/** `0.001 USD per page, 0.002 USD if the output is AVIF; at least 0.001 and at most 1 USD per call`. */
export function describePrice(entry: PaidEntry, ratesOf: SurfaceOptions['ratesOf']): string {
  const price = priceOf(entry, ratesOf)
  const { unit, rateMicros, baseMicros, note } = price
  const { min, max } = findPriceRange(price)
  const base = baseMicros > 0n ? `${formatUsd(baseMicros)} USD, and ` : ''
  const variants = listVariants(price).map(variant => {
    const per = variant.unit === unit ? '' : ` per ${variant.unit}`
    return `, ${formatUsd(BigInt(variant.rateMicros))} USD${per} if ${variant.when}`
  })
  const range =
    min === max || isListed(price) ? '' : `; at least ${formatUsd(min)} and at most ${formatUsd(max)} USD per call`
  const rate = `${base}${formatUsd(rateMicros)} USD per ${unit}${variants.join('')}${range}`
  return note === undefined ? rate : `${rate}. ${note.replace(/\.$/, '')}`
}

/** Whether every price that a call can have is one of the rates. */
function isListed({ unit, baseMicros, maxUnits, variants = [] }: PriceTag): boolean {
  return unit === 'call' && maxUnits === 1 && baseMicros === 0n && variants.every(variant => variant.unit === undefined)
}
