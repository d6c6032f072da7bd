import type { BatonShape } from './tiers.ts'

/** What the dimensions of a baton cost, in micros. An operator can change them. */
export interface BatonRates {
  base: bigint
  storageGibDay: bigint
  egressGib: bigint
  thousandWrites: bigint
  thousandReads: bigint
  witness: bigint
}

const GIB = 2n ** 30n
const DAY_SECONDS = 86_400n

type LineName = 'base' | 'storage' | 'egress' | 'writes' | 'reads' | 'witness'

interface PriceLine {
  line: LineName
  /** What is counted: byte-seconds for storage. */
  quantity: bigint
  rateMicros: bigint
  /** The quantity that the rate is for, in words. */
  per: string
  amountMicros: bigint
}

export interface BatonQuote {
  lines: PriceLine[]
  amountMicros: bigint
}

/** What is bought: storage is size times time, so that bytes added late cost only the time that is left. */
interface Purchase {
  byteSeconds: bigint
  egressBytes: bigint
  writes: bigint
  reads: bigint
}

/** The price of a new baton. A witness that is paid for now costs nothing when it is made. */
export function quoteShape(shape: BatonShape, rates: BatonRates, hasWitness = false): BatonQuote {
  const { sizeBytes, durationSeconds, egressBytes, writes, reads } = shape
  const purchase = { byteSeconds: sizeBytes * durationSeconds, egressBytes, writes, reads }
  const base = priceLine('base', 1n, rates.base, 'baton', 1n)
  const witness = hasWitness ? [priceLine('witness', 1n, rates.witness, 'witness', 1n)] : []
  return sumLines([base, ...priceLines(purchase, rates), ...witness])
}

/** The price of what is added to a baton. Storage is paid for up to the new end, less what is paid for already. */
export function quoteAddition(
  baton: { sizeBytes: bigint; remainingSeconds: bigint },
  addition: BatonShape,
  rates: BatonRates,
): BatonQuote {
  const { sizeBytes, durationSeconds, egressBytes, writes, reads } = addition
  const paid = baton.sizeBytes * baton.remainingSeconds
  const needed = (baton.sizeBytes + sizeBytes) * (baton.remainingSeconds + durationSeconds)
  return sumLines(priceLines({ byteSeconds: needed - paid, egressBytes, writes, reads }, rates))
}

function priceLines({ byteSeconds, egressBytes, writes, reads }: Purchase, rates: BatonRates): PriceLine[] {
  return [
    priceLine('storage', byteSeconds, rates.storageGibDay, 'GiB and day', GIB * DAY_SECONDS),
    priceLine('egress', egressBytes, rates.egressGib, 'GiB', GIB),
    priceLine('writes', writes, rates.thousandWrites, '1,000 writes', 1_000n),
    priceLine('reads', reads, rates.thousandReads, '1,000 reads', 1_000n),
  ]
}

/** Every line is rounded up, so buying in parts is never cheaper than buying at once. */
function priceLine(line: LineName, quantity: bigint, rateMicros: bigint, per: string, step: bigint): PriceLine {
  return { line, quantity, rateMicros, per, amountMicros: (quantity * rateMicros + step - 1n) / step }
}

function sumLines(lines: PriceLine[]): BatonQuote {
  return { lines, amountMicros: lines.reduce((sum, { amountMicros }) => sum + amountMicros, 0n) }
}
