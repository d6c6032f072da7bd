import { type Call, parseRefusal, type Refusal, serializeCall, type Verdict } from '../call.ts'
import { type Db, value } from '../db.ts'

/** What a new lease costs, and who pays. The SQL function writes the result of its job. */
export type LeaseCall = Pick<Call, 'id' | 'accountId' | 'keyHash' | 'serviceKey' | 'amountMicros' | 'idempotency'>

export type Purchase<Result> = { refusal: Refusal } | { result: Result }

/** Runs a function that charges for a lease and creates it in one transaction. */
export async function purchaseLease<Result>(
  db: Db,
  text: string,
  values: readonly unknown[],
  call: LeaseCall,
): Promise<Purchase<Result>> {
  const serialized = serializeCall({ ...call, lane: 'instant', payload: 'null' })
  const answer = await value<{ refusal: Verdict } | { result: Result }>(db, text, [...values, serialized])
  return 'refusal' in answer ? { refusal: toRefusal(answer.refusal) } : answer
}

/** The earlier call under the key may be one whose lease is not committed yet. */
function toRefusal(verdict: Verdict): Refusal {
  const [, word, first] = verdict
  return word === 'again' ? { kind: 'in_flight', jobId: first! } : parseRefusal(verdict)
}
