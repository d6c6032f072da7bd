import {
  listDrawnSources,
  type Micros,
  newId,
  Problem,
  type ProblemData,
  type Quote,
  tariffOf,
  toPlainRates,
} from '#kit'
import type { ApiContext } from '../../context.ts'
import type { JobEnd } from '../await-job.ts'
import type { Hold, PricedCall } from '../call.ts'
import { NO_ACCOUNT } from '../identity/anonymous.ts'
import { rateProblem, requireAddressRate } from '../identity/rate-limit.ts'
import { buildPayload } from '../job-payload.ts'
import { Places } from './places.ts'

const REMEMBERED_MS = 5 * 60_000
const MAX_REMEMBERED = 10_000

/** Unpaid probes have places of their own, so that a paid call never waits behind them. */
const paidPlaces = new Places()
const unpaidPlaces = new Places()
const quotes = new Map<string, { hold: Hold; untilMs: number }>()

/**
 * The exact price of a call that is priced by content. A worker only probes the files: free, counted per address,
 * bounded in number and time. The paid request that follows finds the price in the cache.
 */
export async function probePrice(context: ApiContext, call: PricedCall): Promise<Hold> {
  const { billable, hold, fingerprint, payment, staged } = call
  // The same request may come when what it takes as a file has another content.
  const entries = listDrawnSources(billable.input, staged.input).map(({ id, seq }) => `${id} ${seq}`)
  const key = [billable.name, JSON.stringify(toPlainRates(hold.rates)), fingerprint?.toString('hex'), ...entries].join(
    ' ',
  )
  const known = quotes.get(key)
  if (known && known.untilMs > performance.now()) return known.hold
  const exact = payment ? await runPaid(context, call) : await runUnpaid(context, call)
  if (quotes.size >= MAX_REMEMBERED) quotes.clear()
  if (fingerprint) quotes.set(key, { hold: exact, untilMs: performance.now() + REMEMBERED_MS })
  return exact
}

/** The price to name when the balance is too small: exact if a probe can tell it now, else the ceiling. */
export async function priceForRefusal(context: ApiContext, call: PricedCall): Promise<Micros> {
  if (call.hold.tariff) return call.hold.amountMicros
  try {
    return (await probePrice(context, { ...call, payment: undefined })).amountMicros
  } catch (error) {
    if (error instanceof Problem && (error.code === 'BUSY' || error.code === 'RATE_LIMITED'))
      return call.hold.ceilingMicros
    throw error
  }
}

function runPaid(context: ApiContext, call: PricedCall): Promise<Hold> {
  const { settings } = context
  const seconds = settings.get('x402.probe_seconds')
  return paidPlaces.run(settings.get('x402.max_probes'), seconds * 1_000, () => runProbe(context, call, seconds))
}

/** An address has a number of unpaid probes and a budget of time a minute. Time in the queue counts up to the limit. */
async function runUnpaid(context: ApiContext, call: PricedCall): Promise<Hold> {
  const { limits, settings } = context
  const { ip } = call.request
  const perAddress = settings.get('rate.probe_ms_per_minute')
  const spent = limits.peekAddress('probe-ms', ip, perAddress)
  if (spent.isOver) throw rateProblem(spent)
  requireAddressRate(context, { kind: 'probe', ip, perAddress: settings.get('rate.probe_per_minute') })
  const seconds = settings.get('x402.unpaid_probe_seconds')
  const waitMs = settings.get('x402.probe_seconds') * 1_000
  return unpaidPlaces.run(settings.get('x402.max_unpaid_probes'), waitMs, async () => {
    const startedMs = performance.now()
    try {
      return await runProbe(context, call, seconds)
    } finally {
      const amount = Math.min(Math.ceil(performance.now() - startedMs), seconds * 1_000)
      limits.addAddress('probe-ms', ip, { perAddress, amount })
    }
  })
}

/**
 * Runs a probe job for at most `limitSeconds`; it may wait longer for its lane. The job leaves the request's files in
 * place; the request itself removes them.
 */
async function runProbe(context: ApiContext, call: PricedCall, limitSeconds: number): Promise<Hold> {
  const { settings, waiters, jobs } = context
  const id = newId()
  const seconds = settings.get('x402.probe_seconds')
  const waiter = waiters.wait(id, seconds * 1_000)
  try {
    const asked = { ...call, caller: { accountId: NO_ACCOUNT }, isDryRun: true }
    const { payload, lane } = await buildPayload(context, asked, id, 0n)
    const bounded = {
      ...payload,
      limitSeconds: Math.min(payload.limitSeconds, limitSeconds),
      keepsStaged: true as const,
    }
    await jobs.intake({
      id,
      accountId: NO_ACCOUNT,
      serviceKey: call.billable.name,
      lane,
      amountMicros: 0n,
      seconds,
      payload: JSON.stringify({ ...bounded, deadlineAt: payload.createdAt + seconds * 1_000 }),
    })
    return readQuote(call, await waiter.end)
  } finally {
    waiter.giveUp()
  }
}

function readQuote({ hold }: PricedCall, end: JobEnd | undefined): Hold {
  if (!end) throw new Problem('BUSY')
  if (end.status !== 'succeeded') throw Problem.from(end.content as ProblemData)
  const { quote } = end.content as { quote: Quote }
  const amountMicros = BigInt(quote.amountMicros)
  return { ...hold, amountMicros, ceilingMicros: amountMicros, tariff: tariffOf(quote) }
}
