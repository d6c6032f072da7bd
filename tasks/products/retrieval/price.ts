import { type Price, type Rates, usd } from '#kit'

const BASE = usd('0.005')
const SEARCH = usd('0.001')

/** The base, and what the language model takes, which is charged as it comes. */
export const ANSWER_PRICE: Price<unknown> = {
  unit: 'micro-dollar of what a language model takes',
  rateMicros: 1n,
  baseMicros: BASE,
  basis: 'body',
  minUnits: 0,
  units: () => 0,
  note: 'Where a model is asked, the most that it can take is held with it. Two fifths of the base where nothing relevant is found.',
}

/** Where nothing is relevant, no model is asked. */
export function computeSearchMicros(rates: Rates | undefined): bigint {
  return (baseOf(rates) * 2n) / 5n
}

/** Without an answer it costs what a query of vectors does. */
export const QUERY_PRICE: Price<unknown> = {
  ...ANSWER_PRICE,
  baseMicros: SEARCH,
  note: 'With an answer it costs what rag/answer does, in place of this.',
}

export function searchMicrosOf(rates: Rates | undefined): bigint {
  return rates?.baseMicros ?? SEARCH
}

export function baseOf(rates: Rates | undefined): bigint {
  return rates?.baseMicros ?? BASE
}
