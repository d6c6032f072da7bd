import { FILE_RULE, findMarkedValues } from '#kit'
import { findEarlierAnswer } from '../../../sql/job.ts'
import type { ApiContext } from '../../context.ts'
import type { CallFlags } from '../body/flags.ts'
import type { ReceivedCall } from '../call.ts'
import type { Answer } from './answer.ts'
import { answerRefusal } from './refusal.ts'

/**
 * The answer to a call that repeats an earlier one and takes batons as files. It is looked up before the files are, because the
 * first call may have read a baton for the last time. Any other repeat is noticed when it is booked.
 */
export async function answerEarlier(
  { db }: ApiContext,
  { billable, caller, idempotencyKey, fingerprint, body }: ReceivedCall,
  { isAsync, isDryRun }: CallFlags,
): Promise<Answer | undefined> {
  if (!caller || idempotencyKey === undefined || !fingerprint || isDryRun) return undefined
  const sources = findMarkedValues(FILE_RULE, billable.input, body)
  if (!sources.some(({ value }) => (value as { batonId?: string }).batonId !== undefined)) return undefined
  const earlier = await findEarlierAnswer(db, caller.accountId, { key: idempotencyKey, fingerprint })
  return earlier && answerRefusal({ billable, isAsync }, earlier.refusal, earlier.ceilingMicros)
}
