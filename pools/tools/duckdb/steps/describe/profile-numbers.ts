import { literal } from '../../sql-text.ts'
import type { Work } from '../../work.ts'
import { type LongTable, rowsByColumn } from './long-tables.ts'

interface Histogram {
  from: number
  to: number
  count: number
}

/** Of the finite numbers of a column. */
interface Spread {
  mean: number
  std: number | null
  q05: number
  q25: number
  q50: number
  q75: number
  q95: number
  low: number
  high: number
}

type Found = Record<keyof Spread, number | string | null>

interface Options {
  bins: number
  /** How many values each column has, also such as are not finite. */
  counts: readonly number[]
}

/** The spread of each column; nothing for one without finite numbers. */
export async function describeNumbers(work: Work, part: LongTable, { bins, counts }: Options): Promise<object[]> {
  const quantiles = [5, 25, 50, 75, 95].map(
    percent => `quantile_cont(n, ${percent / 100}) AS q${String(percent).padStart(2, '0')}`,
  )
  const found = await rowsByColumn<Found>(
    work,
    part,
    `SELECT k, avg(n) AS mean, stddev_samp(n) AS std, ${quantiles.join(', ')}, min(n) AS low, max(n) AS high FROM (SELECT k, v::DOUBLE AS n FROM ${part.as}) WHERE isfinite(n) GROUP BY k`,
  )
  const spreads = found.map(([facts]) => (facts ? toSpread(facts) : undefined))
  const outliers = await countOutliers(work, part, spreads)
  const histograms = bins > 0 ? await countBins(work, part, spreads, { bins, counts }) : []
  return spreads.map((spread, index) => (spread ? describe(spread, outliers[index]!, histograms[index]) : {}))
}

function toSpread(found: Found): Spread {
  const entries = Object.entries(found).map(([key, value]) => [key, value === null ? null : Number(value)])
  return Object.fromEntries(entries) as Spread
}

function describe({ mean, std, ...spread }: Spread, outliers: number, histogram: Histogram[] | undefined): object {
  const { q05, q25, q50, q75, q95 } = spread
  const quantiles = { '0.05': q05, '0.25': q25, '0.5': q50, '0.75': q75, '0.95': q95 }
  return { mean, std, quantiles, outliers, ...(histogram && { histogram }) }
}

type Spreads = readonly (Spread | undefined)[]

/** The place of each column with a spread, and numbers made of it, as a table. */
function tabulate(spreads: Spreads, names: readonly string[], list: (spread: Spread) => number[]): string | undefined {
  const rows = spreads.flatMap((spread, index) => (spread ? [[index, ...list(spread)]] : []))
  if (rows.length === 0) return undefined
  const values = rows.map(([index, ...numbers]) => `(${index}, ${numbers.map(number => `${literal(number)}::DOUBLE`)})`)
  return `(VALUES ${values.join(', ')}) AS f(k, ${names.join(', ')})`
}

async function countOutliers(work: Work, part: LongTable, spreads: Spreads): Promise<number[]> {
  const fences = tabulate(spreads, ['low', 'high'], ({ q25, q75 }) => {
    const distance = 1.5 * (q75 - q25)
    return [q25 - distance, q75 + distance]
  })
  if (!fences) return []
  const sql = `SELECT k, count(*) AS n FROM ${part.as} JOIN ${fences} USING (k) WHERE v::DOUBLE < low OR v::DOUBLE > high GROUP BY k`
  const found = await rowsByColumn<{ n: string }>(work, part, sql)
  return found.map(([facts]) => Number(facts?.n ?? 0))
}

async function countBins(
  work: Work,
  part: LongTable,
  spreads: Spreads,
  { bins, counts }: Options,
): Promise<Histogram[][]> {
  const measure = ({ low, high }: Spread) => (high - low) / bins
  const wide = spreads.map(spread =>
    spread && measure(spread) > 0 && Number.isFinite(measure(spread)) ? spread : undefined,
  )
  const steps = tabulate(wide, ['low', 'width'], spread => [spread.low, measure(spread)])
  const found = steps
    ? await rowsByColumn<{ bin: string; n: string }>(
        work,
        part,
        `SELECT k, least(${bins - 1}, floor((v::DOUBLE - low) / width))::INTEGER AS bin, count(*) AS n FROM ${part.as} JOIN ${steps} USING (k) WHERE isfinite(v::DOUBLE) GROUP BY 1, 2`,
      )
    : []
  return spreads.map((spread, index) => {
    if (!spread) return []
    if (!wide[index]) return [{ from: spread.low, to: spread.high, count: counts[index]! }]
    return listBins(spread, bins, found[index]!)
  })
}

function listBins({ low, high }: Spread, bins: number, found: readonly { bin: string; n: string }[]): Histogram[] {
  const width = (high - low) / bins
  const counts = new Map(found.map(({ bin, n }) => [Number(bin), Number(n)]))
  return Array.from({ length: bins }, (_, bin) => ({
    from: low + bin * width,
    to: bin === bins - 1 ? high : low + (bin + 1) * width,
    count: counts.get(bin) ?? 0,
  }))
}
