import { formatUsd, type Micros, PRICE_CEILING, PRICE_FLOOR, type Rates, type Tariff, usd } from '#kit'
import { loadCatalog } from '../../api/catalog.ts'
import { listLeastPrices } from '../../api/product-parts.ts'
import { isPaid, type PaidEntry } from '../../api/surfaces/entries.ts'
import type { Db } from '../../sql/db.ts'
import { UsageError } from '../cli/verb.ts'
import type { Config } from '../config.ts'
import { readAddedOperations } from '../plugins/operations.ts'
import { expectedAmount } from './examples.ts'
import { scaleRates, UnevenPrice } from './scale.ts'

/** A larger change of a declared price is more likely a slip of the decimal point. */
const MAX_FACTOR = 10n

/** In the order of their names. What some calls cost by default follows from the providers of this installation. */
export async function loadPaidEntries({ config, db }: { config: Config; db: Db }): Promise<PaidEntry[]> {
  const leastPrices = await listLeastPrices({ config, db })
  const { entries } = await loadCatalog({ leastPrices, added: await readAddedOperations(db, config.pluginsDir) })
  return entries.filter(isPaid).sort((one, other) => (one.name < other.name ? -1 : 1))
}

/** Its price follows from settings, for what is asked for. */
export function isQuoted({ price }: PaidEntry): boolean {
  return price.settings !== undefined
}

export function findEntry(entries: readonly PaidEntry[], name: string): PaidEntry {
  const entry = entries.find(candidate => candidate.name === name)
  if (!entry) throw new UsageError(`There is no priced call ${name}; "price list" prints all of them.`)
  if (isQuoted(entry))
    throw new UsageError(
      `${name} costs what is quoted; change the settings ${entry.price.settings} by "setting set" instead.`,
    )
  return entry
}

interface Change {
  typical: Tariff
  isForced: boolean
}

export function chooseRates({ name, price }: PaidEntry, text: string, { typical, isForced }: Change): Rates {
  const micros = readAmount(name, text)
  const declared = expectedAmount(typical)
  if (!isForced && (micros > declared * MAX_FACTOR || micros * MAX_FACTOR < declared))
    throw new UsageError(
      `${formatUsd(micros)} USD is far from the default of ${name}, ${formatUsd(declared)} USD; add --force if you mean it.`,
    )
  try {
    return scaleRates(price, typical, micros)
  } catch (error) {
    if (!(error instanceof UnevenPrice)) throw error
    const [below, above] = error.nearest.map(formatUsd)
    throw new UsageError(
      `The typical call of ${name} has ${typical.expectedUnits} units (${typical.unit}), among which ${formatUsd(micros)} USD cannot be divided; set ${below} or ${above}.`,
    )
  }
}

/** No call costs less than the floor or more than the ceiling, so nothing else can be set, by force neither. */
function readAmount(name: string, text: string): Micros {
  const micros = parseUsd(text)
  if (micros >= PRICE_FLOOR && micros <= PRICE_CEILING) return micros
  const bounds = `a call costs ${formatUsd(PRICE_FLOOR)} to ${formatUsd(PRICE_CEILING)} USD`
  const asMicros = /^\d+$/.test(text) ? BigInt(text) : 0n
  const isMicros = asMicros >= PRICE_FLOOR && asMicros <= PRICE_CEILING
  const guess = isMicros ? `; if you mean ${text} micros, write price set ${name} ${formatUsd(asMicros)}` : ''
  throw new UsageError(`${text} is an amount of dollars, and ${bounds}${guess}.`)
}

function parseUsd(text: string): Micros {
  try {
    return usd(text)
  } catch {
    throw new UsageError(`"${text}" is not an amount of dollars such as 0.002, nor "default".`)
  }
}
