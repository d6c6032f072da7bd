import type { ApiContext } from '../../../api/context.ts'
import { hashApiKey } from '../../../ops/secrets.ts'
import { createAccount, creditAccount } from '../../../sql/account.ts'
import { createKey } from '../../../sql/key.ts'

/** A key of a new account with this balance. */
export async function openAccountKey({ db, config }: ApiContext, amountMicros: bigint) {
  const { id: accountId } = await createAccount(db)
  if (amountMicros > 0n) await creditAccount(db, { accountId, amountMicros })
  const hash = (apiKey: string) => hashApiKey(config.secret, apiKey)
  return { accountId, key: await createKey(db, { accountId, mode: 'test', hash }) }
}
