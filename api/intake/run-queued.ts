import { Problem, type ProblemData } from '#kit'
import { trace } from '../../ops/tracing/trace.ts'
import type { ApiContext } from '../context.ts'
import type { JobEnd } from './await-job.ts'
import type { FundedCall } from './call.ts'
import type { Book } from './fund.ts'
import { buildPayload } from './job-payload.ts'
import type { Answer } from './reply/answer.ts'
import { answerRefusal } from './reply/refusal.ts'
import { priceForRefusal } from './x402/probe.ts'

/** Queues the work and waits for it as long as the caller allows. Waiting starts before the job can end. */
export async function runQueued(context: ApiContext, call: FundedCall, book: Book): Promise<Answer> {
  const { waiters, settings } = context
  const { id, isAsync, temporaryFiles } = call
  if (waiters.size >= settings.get('api.max_waiting')) throw new Problem('BUSY')
  const waiter = isAsync ? undefined : waiters.wait(id, call.waitSeconds * 1_000)
  const amountMicros = call.isDryRun ? 0n : call.hold.amountMicros
  try {
    const { payload, lane, seconds } = await buildPayload(context, call, id, amountMicros)
    // From here on a job may need the files, even if the answer of the database is lost.
    const files = temporaryFiles.move()
    const ceilingMicros = call.isDryRun ? undefined : call.hold.ceilingMicros
    const entry = { lane, seconds, isAsync, amountMicros, ceilingMicros, payload: JSON.stringify(payload) }
    const refusal = await book('intake', entry)
    if (refusal) {
      // They are removed only after they have been probed for the price.
      await using _files = files
      const missing = refusal.kind === 'short' ? await priceForRefusal(context, call) : amountMicros
      return answerRefusal(call, refusal, missing)
    }
    return answerEnd(call, await trace('wait for the job', undefined, async () => waiter?.end))
  } finally {
    waiter?.giveUp()
  }
}

function answerEnd({ id, hold, isDryRun }: FundedCall, end: JobEnd | undefined): Answer {
  if (!end) return { kind: 'ticket', id, ceilingMicros: isDryRun ? 0n : hold.ceilingMicros }
  const { status, chargedMicros, content } = end
  if (status === 'succeeded') return { kind: 'result', id, chargedMicros, result: content }
  const { code, hints } = content as ProblemData
  throw new Problem(code, { ...hints, jobId: id })
}
