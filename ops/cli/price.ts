import { formatUsd, type Micros, PRICE_CEILING, PRICE_FLOOR, type Rates, type Tariff, usd, withRates } from '#kit'
import { loadCatalog } from '../../api/catalog.ts'
import { listLeastPrices } from '../../api/product-parts.ts'
import { isPaid, type PaidEntry } from '../../api/surfaces/entries.ts'
import { describePrice } from '../../api/surfaces/prices.ts'
import { listSetPrices, readPrices, readSettings, writePrice } from '../../sql/setting.ts'
import { expectedAmount, priceExample, readExamples } from './price/examples.ts'
import { scaleRates, UnevenPrice } from './price/scale.ts'
import { formatTable } from './print.ts'
import { type CliContext, type Runs, UsageError } from './verb.ts'

/** A larger change of a declared price is more likely a slip of the decimal point. */
const MAX_FACTOR = 10n
const SHOWN_CALLS = 5

export const runs: Runs = {
  async list(context) {
    const [entries, changed] = await Promise.all([loadPaidEntries(context), readChangedPrices(context)])
    const prices = await Promise.all(entries.map(entry => listPrice(entry, changed.get(entry.name))))
    const lines = prices.map(({ operation, defaultMicros, currentMicros, isChanged, price }) => [
      operation,
      defaultMicros === undefined ? 'quoted' : formatUsd(defaultMicros),
      `${currentMicros === undefined ? 'quoted' : formatUsd(currentMicros)}${isChanged ? ' *' : ''}`,
      price,
    ])
    return { data: prices, text: formatTable(['operation', 'default', 'current', 'price'], lines) }
  },
  async set(context, [name, amount], { force }) {
    const entry = findEntry(await loadPaidEntries(context), name!)
    const examples = await readExamples(entry)
    const typical = priceExample(entry, examples[0]!)
    const former = (await readPrices(context.db)).get(entry.name)
    const isForced = force !== undefined
    const rates = amount === 'default' ? undefined : chooseRates(entry, amount!, { typical, isForced })
    await writePrice(context.db, entry.name, rates ?? null)
    const calls = examples.slice(0, SHOWN_CALLS).map(example => ({
      call: example.title,
      oldMicros: expectedAmount(priceExample(entry, example, former)),
      newMicros: expectedAmount(priceExample(entry, example, rates)),
    }))
    const lines = calls.map(({ call, oldMicros, newMicros }) => [call, formatUsd(oldMicros), formatUsd(newMicros)])
    const { rateMicros, baseMicros, unit } = withRates(entry.price, rates)
    const price = describePrice(entry, () => rates)
    return {
      data: { operation: entry.name, unit, rateMicros, baseMicros, calls },
      text: `${entry.name}: ${price}\n\n${formatTable(['call', 'before', 'now'], lines)}`,
    }
  },
}

/** In the order of their names. What some calls cost by default follows from the providers of this installation. */
async function loadPaidEntries({ config, db }: CliContext): Promise<PaidEntry[]> {
  const leastPrices = await listLeastPrices({ config, db })
  const { entries } = await loadCatalog({ leastPrices })
  return entries.filter(isPaid).sort((one, other) => (one.name < other.name ? -1 : 1))
}

async function readChangedPrices({ db }: CliContext): Promise<Map<string, Rates>> {
  const [prices, settings] = await Promise.all([readPrices(db), readSettings(db)])
  return new Map([...prices, ...listSetPrices(settings)])
}

async function listPrice(entry: PaidEntry, rates: Rates | undefined) {
  const price = describePrice(entry, () => rates)
  const isChanged = rates !== undefined
  if (isQuoted(entry)) return { operation: entry.name, isChanged, price }
  const [example] = await readExamples(entry, 1)
  const [defaultMicros, currentMicros] = [undefined, rates].map(each =>
    expectedAmount(priceExample(entry, example!, each)),
  )
  return { operation: entry.name, defaultMicros, currentMicros, isChanged, price }
}

function isQuoted({ price }: PaidEntry): boolean {
  return price.settings !== undefined
}

function findEntry(entries: readonly PaidEntry[], name: string): PaidEntry {
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

function chooseRates({ name, price }: PaidEntry, text: string, { typical, isForced }: Change): Rates {
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
