import { type TObject, Type } from 'typebox'
import { type Entry, formatUsd, type Micros, PRICE_CEILING, PRICE_FLOOR, type PriceTag } from '#kit'

/** What a surface must know besides the catalogue: where it is served, and what the operator has changed. */
export interface SurfaceOptions {
  /** Without a slash at the end. */
  publicUrl: string
  version: string
  /** The rate an operator set over the declared one, if any. */
  rateOf?: (name: string) => Micros | undefined
  /** Whether what the operation needs is installed here; unknown counts as yes. */
  available?: (name: string) => boolean
}

export const SUMMARY =
  'Pay-per-call file and data operations for AI agents and developers: one request, one answer, 0.001 to 1 USD a call.'

/** The entries as a reader sees them: the router's nameless rest of the path, `*`, is called `key`. */
export function shown(entries: readonly Entry[]): Entry[] {
  return entries.map(entry => (entry.path.endsWith('/*') ? withNamedRest(entry) : entry))
}

function withNamedRest(entry: Entry): Entry {
  const { '*': declared, ...named } = (entry.params as TObject | undefined)?.properties ?? {}
  const rest = Type.String({ description: 'The full key, its slashes included.', ...(declared as object | undefined) })
  return { ...entry, path: entry.path.replace(/\*$/, '{key}'), params: Type.Object({ ...named, key: rest }) }
}

export function isPaid(entry: Entry): entry is Entry & { price: PriceTag } {
  return entry.price !== undefined
}

export function rateOf(entry: Entry & { price: PriceTag }, overrides: SurfaceOptions['rateOf']): Micros {
  return overrides?.(entry.name) ?? entry.price.rateMicros
}

/** `0.001 USD per page; at least 0.001 and at most 1 USD a call`. */
export function priceInWords(entry: Entry & { price: PriceTag }, overrides: SurfaceOptions['rateOf']): string {
  const { unit, baseMicros } = entry.price
  const rate = `${formatUsd(rateOf(entry, overrides))} USD per ${unit}`
  if (unit === 'call' && baseMicros === 0n) return rate
  const base = baseMicros > 0n ? `${formatUsd(baseMicros)} USD, and ` : ''
  return `${base}${rate}; at least ${formatUsd(PRICE_FLOOR)} and at most ${formatUsd(PRICE_CEILING)} USD a call`
}

/** The name as identifiers of other tools allow it: `pdf_rotate`. */
export function operationId(entry: Entry): string {
  return entry.name.replaceAll('.', '_')
}

/** In the order of their first member, each family with its entries. */
export function byFamily(entries: readonly Entry[]): Map<string, Entry[]> {
  return Map.groupBy(entries, entry => entry.family)
}

const FAMILIES: Record<string, string> = {
  auth: 'Signing in with a wallet.',
  billing: 'Topping up the balance.',
  archive: 'Archives of several files.',
  account: 'The balance, the ledger and the keys of an account.',
  codes: 'Barcodes, QR codes and colours.',
  cputools: 'Uploading inputs that are too large to send inline.',
  csv: 'Delimited text files.',
  data: 'Tables: shaping, querying and checking them.',
  doc: 'Documents: converting and understanding them.',
  generate: 'Pictures and documents made from parameters.',
  image: 'Still and animated pictures.',
  jobs: 'Calls that run on: their state, their result, their cancellation.',
  media: 'Audio and video.',
  office: 'Office formats.',
  outputs: 'Fetching the files that earlier calls made.',
  pdf: 'PDF documents.',
  system: 'What the service is, offers and costs.',
  text: 'Plain and marked-up text.',
  utils: 'Hashes, tokens, encodings and identifiers.',
  web: 'Public web pages.',
}

export function familyInWords(family: string): string {
  return FAMILIES[family] ?? `Everything under ${family}.`
}
