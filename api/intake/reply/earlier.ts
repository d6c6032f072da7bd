import { FILE_RULE, findMarkedValues } from '#kit'
import { findEarlierAnswer } from '../../../sql/job.ts'
import type { ApiContext } from '../../context.ts'
import type { CallFlags, ReceivedCall } from '../call.ts'
import type { Answer } from './answer.ts'
import { answerRefusal } from './refusal.ts'

/**
 * The answer to a call that repeats an earlier one and takes as files what a product keeps, or whose price follows from what is
 * stored. It is looked up before that is, because the first call may have been the last that could read it, or have changed it.
 * Any other repeat is noticed when it is booked.
 */
export async function answerEarlier(
  { db, calls }: ApiContext,
  { billable, caller, idempotencyKey, fingerprint, body }: ReceivedCall,
  { isAsync, isDryRun }: CallFlags,
): Promise<Answer | undefined> {
  if (!caller || idempotencyKey === undefined || !fingerprint || isDryRun) return undefined
  const isKept = (value: unknown) =>
    calls.sources.some(({ field }) => (value as Record<string, unknown>)[field] !== undefined)
  const drawsKept = () => findMarkedValues(FILE_RULE, billable.input, body).some(({ value }) => isKept(value))
  // A body that is streamed is part of what makes the call the same, and is not received yet.
  const isQuoted = billable.quote !== undefined && billable.receive === undefined
  if (!isQuoted && !drawsKept()) return undefined
  const earlier = await findEarlierAnswer(db, caller.accountId, { key: idempotencyKey, fingerprint })
  return earlier && answerRefusal({ billable, isAsync }, earlier.refusal, earlier.ceilingMicros)
}
