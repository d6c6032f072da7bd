import { type TObject, Type } from 'typebox'
import { type Entry, type PriceTag, type Rates, withRates } from '#kit'
import { type Product, products } from '../../tasks/products/index.ts'

/** What a surface needs besides the catalogue: its public address, and what the operator has changed. */
export interface SurfaceOptions {
  /** Without a trailing slash. */
  publicUrl: string
  version: string
  /** The name under which visitors know the installation, if the operator has set one. */
  siteName?: string
  /** What the operator has set in place of the declared price. */
  ratesOf?: (name: string) => Rates | undefined
  /** Whether the call would be taken here; what is unknown counts as such. */
  isAvailable?: (name: string) => boolean
  /** What a call that is not available can still be asked for, if for anything. */
  stillTakes?: (name: string) => string | undefined
  /** Whether files can be given as addresses on the web. */
  canFetch?: boolean
  /** Whether the calls are also served as MCP tools. */
  hasMcp?: boolean
}

/** What is said of a call that is not available; undefined of one that is. */
export function describeMissing(
  { isAvailable, stillTakes }: SurfaceOptions,
  { name }: Pick<Entry, 'name'>,
  text: string,
): string | undefined {
  return isAvailable?.(name) === false ? (stillTakes?.(name) ?? text) : undefined
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
export function groupByFamily<Listed extends Entry>(entries: readonly Listed[]): Map<string, Listed[]> {
  return Map.groupBy(entries, entry => entry.family)
}

/** Families of operations. Products describe theirs. */
const OPERATION_FAMILIES: Record<string, string> = {
  archive: 'Archives.',
  codes: 'Barcodes, QR codes, colours.',
  csv: 'Delimited text.',
  data: 'Tables.',
  doc: 'Documents: converting and understanding.',
  generate: 'Images and documents from parameters.',
  image: 'Still and animated images.',
  media: 'Audio and video.',
  office: 'Office formats.',
  pdf: 'PDF documents.',
  text: 'Plain and marked-up text.',
  utils: 'Hashes, tokens, encodings, identifiers.',
  vision: 'What images show.',
  web: 'Public web pages.',
}

/** Families of routes that serve the platform itself. */
const PLATFORM_FAMILIES: Record<string, string> = {
  account: 'Balance, ledger and keys.',
  auth: 'Signing in with a wallet.',
  billing: 'Topping up.',
  cputools: 'Uploading large inputs.',
  jobs: 'State and result of jobs.',
  outputs: 'Files that earlier calls made.',
  system: 'Prices, health, descriptions.',
  x402: 'Accepted payments.',
}

export function isPlatformFamily(family: string): boolean {
  return Object.hasOwn(PLATFORM_FAMILIES, family)
}

/** Of a call that takes the session of a browser alone. */
export const BY_PERSONS =
  'Keys are refused: a person who is signed in to the dashboard makes this call, with its cookie and X-CSRF-Token.'

export function isForPersons({ auth }: Entry): boolean {
  return auth.includes('session')
}

export function describeFamily(family: string): string {
  return (
    OPERATION_FAMILIES[family] ??
    PLATFORM_FAMILIES[family] ??
    describeByProduct(family) ??
    `Operations of the family ${family}.`
  )
}

function describeByProduct(family: string): string | undefined {
  const other = products.find(({ otherFamilies }) => otherFamilies && Object.hasOwn(otherFamilies, family))
  return other?.otherFamilies?.[family] ?? findProduct(family)?.summary
}

/** Of the products that share a family, the one that says so describes it. */
function findProduct(family: string): Product | undefined {
  const ofFamily = products.filter(product => product.family === family)
  return ofFamily.find(({ isFamilyHead }) => isFamilyHead) ?? ofFamily[0]
}
