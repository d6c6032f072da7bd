import type { FastifyReply, FastifyRequest } from 'fastify'
import { type CallOptions, newId, Problem, type ProblemData } from '#kit'
import type { Call } from '../../sql/call.ts'
import type { NamedOperation } from '../../tasks/index.ts'
import type { Floor } from '../floor.ts'
import type { Caller } from './authenticate.ts'
import type { JobEnd } from './await-job.ts'
import type { StagedFiles } from './files.ts'
import { payloadOf } from './job-payload.ts'
import type { Hold } from './price.ts'
import { replyRefusal, replyResult, replyTicket } from './reply.ts'
import type { Funding } from './x402/fund.ts'
import { priceInFull } from './x402/probe.ts'
import { sayReceipt } from './x402/receipt.ts'

/** A call that has passed every check and has its price. */
export interface Submission {
  operation: NamedOperation
  caller: Caller
  staged: StagedFiles
  inputBytes: number
  hold: Hold
  options: CallOptions
  isDryRun: boolean
  isAsync: boolean
  waitSeconds: number
  idempotency: { key: string; fingerprint: Buffer } | undefined
  /** Which request this is, where that matters. */
  fingerprint: Buffer | undefined
  /** The payment it came with. */
  funding?: Funding
}

/** Accepts work for the queue and waits for it as long as the caller would; the wait begins before the work can. */
export async function submit(
  floor: Floor,
  submission: Submission,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { waiters, settings } = floor
  if (waiters.size >= settings.get('api.max_waiting')) throw new Problem('BUSY')
  const { funding } = submission
  const id = funding?.jobId ?? newId()
  const waiter = submission.isAsync ? undefined : waiters.wait(id, submission.waitSeconds * 1_000)
  const amountMicros = submission.isDryRun ? 0n : submission.hold.amountMicros
  try {
    const { payload, lane, seconds } = await payloadOf(floor, submission, id, amountMicros)
    const call: Call = {
      id,
      accountId: submission.caller.accountId,
      keyHash: submission.caller.keyHash,
      serviceKey: submission.operation.name,
      lane,
      amountMicros,
      isAsync: submission.isAsync,
      seconds,
      idempotency: submission.isDryRun ? undefined : submission.idempotency,
      payload: JSON.stringify(payload),
    }
    const refusal = await (funding ? funding.book('intake', call) : floor.jobs.intake(call))
    if (refusal) {
      const wanted = refusal.kind === 'short' ? await priceInFull(floor, submission, request) : amountMicros
      await submission.staged.discard()
      return replyRefusal(floor, submission, refusal, wanted, request, reply)
    }
    const end = await waiter?.end
    if (end) return replyEnd(floor, submission, end, request, reply)
    if (funding) sayReceipt(reply, funding, 0n)
    return replyTicket(reply, { id, ceilingMicros: amountMicros })
  } finally {
    waiter?.giveUp()
  }
}

function replyEnd(floor: Floor, submission: Submission, end: JobEnd, request: FastifyRequest, reply: FastifyReply) {
  const { id, status, chargedMicros, content } = end
  if (status === 'succeeded')
    return replyResult(floor, submission, { id, chargedMicros, result: content }, request, reply)
  if (submission.funding) sayReceipt(reply, submission.funding, chargedMicros)
  const problem = Problem.from(content as ProblemData)
  throw new Problem(problem.code, { ...problem.hints, jobId: id })
}
