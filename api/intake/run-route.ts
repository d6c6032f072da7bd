import type { FastifyReply } from 'fastify'
import { computeAmount, type Outcome, Problem } from '#kit'
import type { Ending } from '../../sql/job.ts'
import type { ApiContext } from '../context.ts'
import type { RouteJob } from '../route.ts'
import type { Execution } from './billable.ts'
import { bookCall } from './book.ts'
import type { FundedCall } from './call.ts'
import type { Answer } from './reply/answer.ts'
import { answerRefusal } from './reply/refusal.ts'

type RouteExecution = Extract<Execution, { kind: 'route' }>

/** Not a queue. If this process dies, the hold is released and the key is free when the job's deadline passes. */
const LANE = 'api'
const LIMIT_SECONDS = 25

/** Holds the price, runs the route's handler, then charges or releases. */
export async function runRoute(
  context: ApiContext,
  call: FundedCall,
  execution: RouteExecution,
  reply: FastifyReply,
): Promise<Answer> {
  const { amountMicros } = call.hold
  const entry = { lane: LANE, amountMicros, payload: 'null', seconds: LIMIT_SECONDS }
  const refusal = await bookCall(context, call, 'intake', entry)
  if (refusal) return answerRefusal(call, refusal, amountMicros)
  const startedAt = new Date()
  const { id, caller } = call
  const job = { id, accountId: caller.accountId, startedAt, chargeMicros: amountMicros }
  const outcome = await attempt(context, call, execution, reply, job)
  if (execution.settles) return { kind: 'result', id, chargedMicros: amountMicros, result: outcome.result }
  const tariff = call.hold.tariff!
  const chargeMicros = computeAmount(tariff, outcome.units ?? tariff.units)
  const result = JSON.stringify(outcome.result)
  await end(context, call, startedAt, { status: 'succeeded', chargeMicros, result, objects: [] })
  return { kind: 'result', id, chargedMicros: chargeMicros, result: outcome.result }
}

async function attempt(
  context: ApiContext,
  call: FundedCall,
  { run }: RouteExecution,
  reply: FastifyReply,
  job: RouteJob,
): Promise<Outcome<unknown>> {
  try {
    return await run({ caller: call.caller, body: call.staged.input, request: call.request, reply, job }, context)
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
  if (verdict === 'late') log.error({ jobId: id }, 'a priced route ended after its deadline and was not charged')
}
