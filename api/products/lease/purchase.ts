import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { newId, Problem } from '#kit'
import type { LeaseCall, Purchase } from '../../../sql/lease/purchase.ts'
import { readIdempotencyKey } from '../../intake/idempotency.ts'
import type { Caller } from '../../intake/identity/caller.ts'
import { answerRefusal } from '../../intake/reply/refusal.ts'
import { setResultHeaders } from '../../intake/reply/send.ts'

/** The call that buys a lease. What `parts` say is compared when its idempotency key comes again. */
export function describePurchase(
  { caller, request }: { caller: Caller; request: FastifyRequest },
  serviceKey: string,
  amountMicros: bigint,
  parts: readonly (string | Buffer)[],
): LeaseCall {
  const { accountId, keyHash } = caller
  const key = readIdempotencyKey(request.headers['idempotency-key'], undefined)
  const hash = createHash('sha256').update(serviceKey)
  for (const part of parts) hash.update('\n').update(part)
  const idempotency = key === undefined ? undefined : { key, fingerprint: hash.digest() }
  return { id: newId(), accountId, keyHash, serviceKey, amountMicros, idempotency }
}

/** The result of the purchase, or of the earlier one that it repeats. Throws why it was refused. */
export function readPurchase<Result>(reply: FastifyReply, call: LeaseCall, purchase: Purchase<Result>): Result {
  if ('result' in purchase) {
    const { id, amountMicros: chargedMicros } = call
    setResultHeaders({}, { kind: 'result', id, chargedMicros, result: purchase.result }, reply)
    return purchase.result
  }
  const refused = { billable: { name: call.serviceKey }, isAsync: false }
  const answer = answerRefusal(refused, purchase.refusal, call.amountMicros)
  if (answer.kind !== 'result') throw new Problem('IDEMPOTENCY_IN_FLIGHT')
  setResultHeaders({}, answer, reply)
  return answer.result as Result
}

/** The answer to `X-Dry-Run: true`: nothing is read, held or made. */
export function replyPrice(reply: FastifyReply, amountMicros: bigint, terms: object): undefined {
  reply
    .header('x-service-charged-micros', '0')
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ status: 'dry_run', cost_micros: amountMicros.toString(), ...terms }))
}
