import { Problem } from '#kit'
import type { Refusal } from '../../../sql/call.ts'
import type { FundedCall } from '../call.ts'
import type { Answer } from './answer.ts'

/** Answers a call that the ledger refused: by the earlier answer of its key, or by a problem. */
export function answerRefusal(
  { billable, isAsync }: Pick<FundedCall, 'isAsync'> & { billable: Pick<FundedCall['billable'], 'name'> },
  refusal: Refusal,
  amountMicros: bigint,
): Answer {
  switch (refusal.kind) {
    case 'short':
      throw insufficientBalance(billable.name, amountMicros, refusal.balanceMicros)
    case 'limit':
      throw new Problem('SPEND_LIMIT_REACHED', refusal.hints)
    case 'suspended':
      throw new Problem('ACCOUNT_SUSPENDED')
    case 'conflict':
      throw new Problem('IDEMPOTENCY_CONFLICT')
    case 'in_flight':
      throw new Problem('IDEMPOTENCY_IN_FLIGHT', { jobId: refusal.jobId })
    case 'replay': {
      const { jobId: id, status, result, chargedMicros } = refusal
      if (status !== 'succeeded' || isAsync) return { kind: 'ticket', id, ceilingMicros: amountMicros, isReplay: true }
      return { kind: 'result', id, chargedMicros, result, isReplay: true }
    }
  }
}

export function insufficientBalance(serviceKey: string, amountMicros: bigint, balanceMicros: bigint): Problem {
  const [amount, balance] = [amountMicros, balanceMicros].map(String)
  return new Problem('INSUFFICIENT_BALANCE', { serviceKey, amountMicros: amount, balanceMicros: balance })
}
