import type { ApiContext } from '../../context.ts'
import type { IncomingRequest } from '../../incoming-call.ts'
import { requireAddressRate, requireRate } from './rate-limit.ts'

/** Counts one attempt to sign in. Whatever can be guessed or sends mail has a limit of its own. */
export function countAttempt({ limits, settings }: ApiContext, { ip }: IncomingRequest): void {
  requireAddressRate({ limits }, { kind: 'sign-in', ip, perAddress: settings.get('rate.sign_in_per_minute') })
}

export function countMail({ limits, settings }: ApiContext, email: string): void {
  requireRate({ limits }, `mail:${email}`, settings.get('rate.mail_per_minute'))
}
