import { hashApiKey } from '../../../ops/secrets.ts'
import { createAccount, creditAccount, readAccount } from '../../../sql/account.ts'
import { createKey } from '../../../sql/key.ts'
import type { InProcessApi } from './in-process-api.ts'

/** An account with a balance, and what it does with batons. */
export async function openBatonOwner({ app, context: { db, config } }: InProcessApi, balanceMicros = 1_000_000n) {
  const { id: accountId } = await createAccount(db)
  await creditAccount(db, { accountId, amountMicros: balanceMicros })
  const key = await createKey(db, { accountId, mode: 'test', hash: apiKey => hashApiKey(config.secret, apiKey) })
  const headers = { authorization: `Bearer ${key}` }
  const call = (
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    url: string,
    payload?: object,
    more: Record<string, string> = {},
  ) => app.inject({ method, url, headers: { ...headers, ...more }, ...(payload && { payload }) })
  return {
    accountId,
    key,
    headers,
    call,
    money: async () => {
      const account = await readAccount(db, accountId)
      return [BigInt(account!.balanceMicros), BigInt(account!.heldMicros)] as const
    },
    create: async (payload: object) => {
      const answer = await call('POST', '/v1/baton', payload)
      if (answer.statusCode !== 201) throw new Error(answer.body)
      return answer.json()
    },
  }
}
