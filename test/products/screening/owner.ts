import { hashApiKey } from '../../../ops/secrets.ts'
import { createAccount, creditAccount, readAccount } from '../../../sql/account.ts'
import { createKey } from '../../../sql/key.ts'
import type { InProcessApi } from '../../support/stack/in-process-api.ts'

/** An account with a dollar, and what it asks for. */
export async function openOwner({ app, context }: InProcessApi) {
  const { config, db } = context
  const { id: accountId } = await createAccount(db)
  await creditAccount(db, { accountId, amountMicros: 1_000_000n })
  const key = await createKey(db, { accountId, mode: 'live', hash: text => hashApiKey(config.secret, text) })
  const ask = async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, payload?: object) => {
    const reply = await app.inject({ method, url, payload, headers: { authorization: `Bearer ${key}` } })
    return { status: reply.statusCode, body: reply.json() }
  }
  const balance = async () => BigInt((await readAccount(db, accountId))!.balanceMicros)
  const screen = (body: object) => ask('POST', '/v1/screening/match', body)
  return { accountId, key, ask, balance, screen, match: (body: object) => screen({ allowSample: true, ...body }) }
}
