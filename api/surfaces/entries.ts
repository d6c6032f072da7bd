import { type TObject, Type } from 'typebox'
import { type Entry, type PriceTag, type Rates, withRates } from '#kit'
import { type Product, products } from '../../tasks/products/index.ts'

/** What a surface needs besides the catalogue: its public address, and what the operator has changed. */
export interface SurfaceOptions {
  /** Without a trailing slash. */
  publicUrl: string
  version: string
  /** What the operator has set in place of the declared price. */
  ratesOf?: (name: string) => Rates | undefined
  /** Whether the tools of the operation are installed; unknown counts as installed. */
  isAvailable?: (name: string) => boolean
  /** Whether files can be given as addresses on the web. */
  canFetch?: boolean
  /** Whether the calls are also served as MCP tools. */
  hasMcp?: boolean
}

export const SUMMARY =
  'Pay-per-call file and data operations for AI agents and developers: one request, one response, 0.001 to 1 USD per call.'

/** The entries as the documents show them: the unnamed wildcard `*` at the end of a path becomes `{key}`. */
export function withNamedWildcards(entries: readonly Entry[]): Entry[] {
  return entries.map(entry => (entry.path.endsWith('/*') ? withNamedWildcard(entry) : entry))
}

function withNamedWildcard(entry: Entry): Entry {
  const { '*': declaredWildcard, ...namedParams } = (entry.params as TObject | undefined)?.properties ?? {}
  const wildcardParam = Type.String({
    description: 'The complete key, including its slashes.',
    ...(declaredWildcard as object | undefined),
  })
  return {
    ...entry,
    path: entry.path.replace(/\*$/, '{key}'),
    params: Type.Object({ ...namedParams, key: wildcardParam }),
  }
}

export type PaidEntry = Entry & { price: PriceTag }

export function isPaid(entry: Entry): entry is PaidEntry {
  return entry.price !== undefined
}

/** Its price with what the operator has set. */
export function priceOf({ name, price }: PaidEntry, ratesOf: SurfaceOptions['ratesOf']): PriceTag {
  return withRates(price, ratesOf?.(name))
}

/** The name in a form that tools accept as an identifier: `pdf_rotate`. */
export function operationIdOf(entry: Entry): string {
  return entry.name.replaceAll('.', '_')
}

/** The entries of each family; families come in the order of their first entry. */
export function groupByFamily<Found extends Entry>(entries: readonly Found[]): Map<string, Found[]> {
  return Map.groupBy(entries, entry => entry.family)
}

const FAMILY_DESCRIPTIONS: Record<string, string> = {
  auth: 'Signing in with a wallet.',
  billing: 'Topping up the balance.',
  archive: 'Archives of several files.',
  account: 'The balance, the ledger and the keys of an account.',
  codes: 'Barcodes, QR codes and colours.',
  cputools: 'Uploading inputs that are too large to send inline.',
  csv: 'Delimited text files.',
  data: 'Tables: shaping, querying and checking them.',
  doc: 'Documents: converting and understanding them.',
  generate: 'Images and documents made from parameters.',
  image: 'Still and animated images.',
  jobs: 'Jobs of calls that run in the background: state, result and cancellation.',
  media: 'Audio and video.',
  office: 'Office formats.',
  outputs: 'Fetching the files that earlier calls made.',
  pdf: 'PDF documents.',
  storage: 'Batons by preset: drop, pass, log, vector store.',
  system: 'Descriptions, prices and health of the service.',
  text: 'Plain and marked-up text.',
  utils: 'Hashes, tokens, encodings and identifiers.',
  vision: 'What images show: objects, faces, protective equipment, unsafe content.',
  web: 'Public web pages.',
  x402: 'What payments are accepted.',
}

export function describeFamily(family: string): string {
  return FAMILY_DESCRIPTIONS[family] ?? findProduct(family)?.summary ?? `Operations of the family ${family}.`
}

/** Of the products that share a family, the one that says so describes it. */
function findProduct(family: string): Product | undefined {
  const ofFamily = products.filter(product => product.family === family)
  return ofFamily.find(({ isFamilyHead }) => isFamilyHead) ?? ofFamily[0]
}
