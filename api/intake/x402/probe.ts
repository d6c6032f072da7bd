import type { FastifyRequest } from 'fastify'
import { type Micros, newId, PRICE_CEILING, Problem, type ProblemData } from '#kit'
import type { Floor } from '../../floor.ts'
import type { JobEnd } from '../await-job.ts'
import { payloadOf } from '../job-payload.ts'
import type { Hold } from '../price.ts'
import { addressBucket, rateProblem } from '../rate-limit.ts'
import type { Submission } from '../submit.ts'

/** Owns what nobody has paid for yet. */
export const NOBODY = '00000000-0000-0000-0000-000000000000'
const REMEMBERED_MS = 5 * 60_000
const REMEMBERED_MOST = 10_000

interface Quote {
  amountMicros: string
  units: number
}

/** How many calls are being priced now. */
let probing = 0
const quotes = new Map<string, { hold: Hold; until: number }>()

/**
 * The exact price of a call. Where the content decides it, the worker's probe runs alone: free, counted by address,
 * bounded in number and time. The paid request that follows finds the price here.
 */
export async function exactHold(
  floor: Floor,
  submission: Submission,
  request: FastifyRequest,
  isPaid: boolean,
): Promise<Hold> {
  if (submission.hold.isExact) return submission.hold
  const key = `${submission.operation.name} ${submission.hold.rateMicros} ${submission.fingerprint?.toString('hex')}`
  const known = quotes.get(key)
  if (known && known.until > performance.now()) return known.hold
  if (!isPaid) countProbe(floor, request)
  const hold = await probe(floor, submission)
  if (quotes.size >= REMEMBERED_MOST) quotes.clear()
  if (submission.fingerprint) quotes.set(key, { hold, until: performance.now() + REMEMBERED_MS })
  return hold
}

/** What a call whose balance was too small for its hold costs: as exactly as can be known now, or else at the most. */
export async function priceInFull(floor: Floor, submission: Submission, request: FastifyRequest): Promise<Micros> {
  try {
    return (await exactHold(floor, submission, request, false)).amountMicros
  } catch (error) {
    if (error instanceof Problem && (error.code === 'BUSY' || error.code === 'RATE_LIMITED')) return PRICE_CEILING
    throw error
  }
}

function countProbe({ limits, settings }: Floor, { ip }: FastifyRequest): void {
  const allowance = limits.take(`probe:${addressBucket(ip)}`, settings.get('rate.probe_per_minute'))
  if (allowance.isOver) throw rateProblem(allowance)
}

/** What the request brought stays in place: whoever asked for the price decides when it goes. */
async function probe(floor: Floor, submission: Submission): Promise<Hold> {
  const { settings, waiters, jobs } = floor
  if (probing >= settings.get('x402.max_probes')) throw new Problem('BUSY')
  probing++
  const id = newId()
  const seconds = settings.get('x402.probe_seconds')
  const waiter = waiters.wait(id, seconds * 1_000)
  try {
    const asked = { ...submission, caller: { ...submission.caller, accountId: NOBODY }, isDryRun: true }
    const { payload, lane } = await payloadOf(floor, asked, id, 0n)
    const bounded = { ...payload, limitSeconds: Math.min(payload.limitSeconds, seconds), keepsStaged: true as const }
    await jobs.intake({
      id,
      accountId: NOBODY,
      serviceKey: submission.operation.name,
      lane,
      amountMicros: 0n,
      seconds,
      payload: JSON.stringify({ ...bounded, deadlineAt: payload.createdAt + seconds * 1_000 }),
    })
    return holdOf(submission, await waiter.end)
  } finally {
    probing--
    waiter.giveUp()
  }
}

function holdOf({ hold }: Submission, end: JobEnd | undefined): Hold {
  if (!end) throw new Problem('BUSY')
  if (end.status !== 'succeeded') throw Problem.from(end.content as ProblemData)
  const { quote } = end.content as { quote: Quote }
  return { ...hold, amountMicros: BigInt(quote.amountMicros), units: quote.units, isExact: true }
}
