import type { FastifyReply, FastifyRequest } from 'fastify'
import { PRICE_CEILING, Problem } from '#kit'
import type { Refusal } from '../../sql/job.ts'
import type { Floor } from '../floor.ts'
import { sendRawOutput, soleOutput, wantsRawOutput, withEnvelopes } from './output.ts'
import type { Submission } from './submit.ts'
import { sayReceipt } from './x402/receipt.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

/** Answers with what a job came to: the envelope, or the bytes of its one file where the caller asked for those. */
export async function replyResult(
  floor: Floor,
  { operation, options, funding }: Pick<Submission, 'operation' | 'options' | 'funding'>,
  done: { id: string; chargedMicros: bigint; result: unknown },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (funding) sayReceipt(reply, funding, done.chargedMicros)
  reply.header('x-service-charged-micros', done.chargedMicros.toString()).header('x-service-job-id', done.id)
  if (wantsRawOutput(request.headers.accept)) {
    const sole = soleOutput(done.result)
    if (sole) return sendRawOutput(reply, sole, floor.store)
  }
  const body = await withEnvelopes(operation.output, done.result, {
    store: floor.store,
    inlineOutput: options.inlineOutput,
  })
  return reply.type(JSON_TYPE).send(JSON.stringify(body))
}

/** Says the same of the same job however often it is asked; how the job stands is told where the ticket leads. */
export function replyTicket(
  reply: FastifyReply,
  { id, ceilingMicros }: { id: string; ceilingMicros: bigint },
): FastifyReply {
  return reply
    .code(202)
    .header('location', `/v1/jobs/${id}`)
    .header('retry-after', '1')
    .header('preference-applied', 'respond-async')
    .header('x-service-job-id', id)
    .header('x-service-charged-micros', '0')
    .type(JSON_TYPE)
    .send(JSON.stringify({ ticket: id, id, status: 'submitted', ceiling_micros: ceilingMicros.toString() }))
}

export async function replyQuote(
  _floor: Floor,
  { operation: { price }, hold }: Submission,
  _request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const uncapped = price.baseMicros + BigInt(hold.units) * (hold.rateMicros ?? price.rateMicros)
  const quote = {
    amountMicros: hold.amountMicros.toString(),
    unit: price.unit,
    units: hold.units,
    capped: uncapped > PRICE_CEILING,
    ceiling: hold.amountMicros.toString(),
  }
  return reply.type(JSON_TYPE).header('x-service-charged-micros', '0').send(JSON.stringify({ quote }))
}

/** Answers for a call that the books did not take. */
export async function replyRefusal(
  floor: Floor,
  submission: Submission,
  refusal: Refusal,
  amountMicros: bigint,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  switch (refusal.kind) {
    case 'short':
      throw new Problem('INSUFFICIENT_BALANCE', {
        serviceKey: submission.operation.name,
        amountMicros: amountMicros.toString(),
        balanceMicros: refusal.balanceMicros.toString(),
      })
    case 'limit':
      throw new Problem('SPEND_LIMIT_REACHED', refusal.hints)
    case 'suspended':
      throw new Problem('ACCOUNT_SUSPENDED')
    case 'conflict':
      throw new Problem('IDEMPOTENCY_CONFLICT')
    case 'in_flight':
      throw new Problem('IDEMPOTENCY_IN_FLIGHT', { jobId: refusal.jobId })
    case 'replay': {
      reply.header('idempotency-replayed', 'true')
      const { jobId, status, result, chargedMicros } = refusal
      if (status !== 'succeeded' || submission.isAsync)
        return replyTicket(reply, { id: jobId, ceilingMicros: amountMicros })
      return replyResult(floor, submission, { id: jobId, chargedMicros, result }, request, reply)
    }
  }
}
