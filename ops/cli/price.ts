import { formatUsd, type Rates, withRates } from '#kit'
import type { PaidEntry } from '../../api/surfaces/entries.ts'
import { describePrice } from '../../api/surfaces/prices.ts'
import { listSetPrices, readPrices, readSettings, writePrice } from '../../sql/setting.ts'
import { chooseRates, findEntry, isQuoted, loadPaidEntries } from '../prices/choose.ts'
import { expectedAmount, priceExample, readExamples } from '../prices/examples.ts'
import { formatTable } from './print.ts'
import type { CliContext, Runs } from './verb.ts'

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
