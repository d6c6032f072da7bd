import type { ApiContext } from '../../context.ts'
import type { IncomingRequest } from '../../incoming-call.ts'
import { addressBucket, rateProblem } from './rate-limit.ts'

/** Counts one attempt to sign in. Whatever can be guessed or sends mail has a limit of its own. */
export function countAttempt({ limits, settings }: ApiContext, { ip }: IncomingRequest): void {
  const allowance = limits.take(`sign-in:${addressBucket(ip)}`, settings.get('rate.sign_in_per_minute'))
  if (allowance.isOver) throw rateProblem(allowance)
}

export function countMail({ limits, settings }: ApiContext, email: string): void {
  const allowance = limits.take(`mail:${email}`, settings.get('rate.mail_per_minute'))
  if (allowance.isOver) throw rateProblem(allowance)
}
