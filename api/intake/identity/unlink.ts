import { removeSignIn } from '../../../sql/session.ts'
import type { ApiContext } from '../../context.ts'
import type { Caller } from './caller.ts'
import { hashOfSession, type Session } from './session.ts'

// Decision 0710: keep the last way in, and end what was opened by what is unlinked.

/** Unlinks a wallet or sign-in from the caller's account. Throws NOT_FOUND, LAST_SIGN_IN or SIGN_IN_TOO_NEW. */
export async function unlink(context: ApiContext, caller: Caller, id: string, session?: Session): Promise<void> {
  const { db, config, providers, keys, payments } = context
  await removeSignIn(db, {
    accountId: caller.accountId,
    id,
    usableKinds: ['wallet', 'email', ...providers.keys()],
    actor: caller.via,
    acting: session && hashOfSession(config, session),
  })
  keys.forget()
  payments?.forget()
}
