import { computeCharge, type Outcome, Problem } from '#kit'
import type { Ending } from '../../../sql/job.ts'
import type { ApiContext } from '../../context.ts'
import type { RouteJob } from '../../route.ts'
import type { FundedCall } from '../call.ts'
import type { Book } from '../fund.ts'
import type { Answer } from '../reply/answer.ts'
import { answerRefusal } from '../reply/refusal.ts'

/** Not a queue. If this process dies, the hold is released and the key is free when the job's deadline passes. */
const LANE = 'api'
const LIMIT_SECONDS = 25

interface HeldOptions {
  settles?: boolean
  /** What work that settles was charged, if that may be less than the price. */
  readCharge?: ((result: unknown) => bigint) | undefined
  seconds?: number | undefined
}

/** Holds the price, does the work in this process, then charges or releases. Work that `settles` has ended the job itself. */
export async function runHeld(
  context: ApiContext,
  call: FundedCall,
  book: Book,
  work: (job: RouteJob) => Promise<Outcome<unknown>>,
  { settles = false, readCharge, seconds = LIMIT_SECONDS }: HeldOptions = {},
): Promise<Answer> {
  const { amountMicros } = call.hold
  const entry = { lane: LANE, amountMicros, payload: 'null', seconds }
  const refusal = await book('intake', entry)
  if (refusal) return answerRefusal(call, refusal, amountMicros)
  const startedAt = new Date()
  const { id, caller } = call
  const job = { id, accountId: caller.accountId, startedAt, chargeMicros: amountMicros }
  const outcome = await attempt(context, call, job, work)
  const { result } = outcome
  if (settles) {
    context.jobs.announce(id)
    return { kind: 'result', id, chargedMicros: readCharge?.(result) ?? amountMicros, result }
  }
  const tariff = call.hold.tariff!
  const chargeMicros = computeCharge(tariff, outcome)
  const json = JSON.stringify(result)
  await end(context, call, startedAt, { status: 'succeeded', chargeMicros, result: json, objects: [] })
  return { kind: 'result', id, chargedMicros: chargeMicros, result }
}

async function attempt(
  context: ApiContext,
  call: FundedCall,
  job: RouteJob,
  work: (job: RouteJob) => Promise<Outcome<unknown>>,
): Promise<Outcome<unknown>> {
  try {
    return await work(job)
  } catch (error) {
    const problem = error instanceof Problem ? error.toData() : { code: 'INTERNAL' as const, hints: {} }
    await end(context, call, job.startedAt, { status: 'failed', problem })
    throw error
  }
}

/** Work that ended after its deadline is not charged, because its hold was released then. */
async function end(
  { jobs, log }: ApiContext,
  { id, caller: { accountId } }: FundedCall,
  startedAt: Date,
  outcome: Ending['outcome'],
): Promise<void> {
  const verdict = await jobs.finish({ id, accountId, attempt: 1, startedAt, outcome })
  if (verdict === 'late')
    log.error({ jobId: id }, 'a call held by the api ended after its deadline and was not charged')
}
