import type { LightMyRequestResponse } from 'fastify'
import { expect } from 'vitest'
import type { NamedRoute } from '../../../api/catalog.ts'
import { rows } from '../../../sql/db.ts'
import { checkInvariants } from '../../../sql/ledger.ts'
import { findWallet } from '../../../sql/payment.ts'
import settleChunks from '../../../tasks/chores/settle-chunks.ts'
import { bindPaymentDeps } from '../../../workers/payment-deps.ts'
import { findUndeclaredEvents } from '../database/declared-events.ts'
import { type InProcessApi, openInProcessApi } from '../stack/in-process-api.ts'
import { FakeChain } from './fake-chain.ts'

/** An in-process api whose payments are settled on a fake chain. */
export interface PaidApi extends InProcessApi {
  chain: FakeChain
  /** Runs the chore that settles chunks. */
  settleChunks(): Promise<void>
  hash(headers?: Record<string, string>, text?: string): Promise<LightMyRequestResponse>
}

export async function openPaidApi(
  env: Record<string, string> = {},
  routes: readonly NamedRoute[] = [],
): Promise<PaidApi> {
  const chain = new FakeChain()
  const api = await openInProcessApi(env, chain, routes)
  return {
    ...api,
    chain,
    settleChunks: () => {
      const payments = bindPaymentDeps(api.context.db, api.context.config.secret, chain)
      return settleChunks.run({ payments, log: () => undefined } as never)
    },
    hash: (headers = {}, text = 'abc') =>
      api.app.inject({ method: 'POST', url: '/v1/utils/hash', headers, payload: { text, algorithms: ['sha256'] } }),
    [Symbol.asyncDispose]: async () => {
      expect(await checkInvariants(api.context.db)).toEqual([])
      expect(await findUndeclaredEvents(api.context.db)).toEqual([])
      await api[Symbol.asyncDispose]()
    },
  }
}

export const decodeHeader = (header: unknown) =>
  JSON.parse(Buffer.from(String(header), 'base64').toString()) as Record<string, never>
export const readBalance = async (api: PaidApi, address: string) => {
  const { accountId } = (await findWallet(api.context.db, address))!
  const [row] = await rows<{ balance_micros: bigint }>(
    api.context.db,
    'select balance_micros from svc.account where id = $1',
    [accountId],
  )
  return row!.balance_micros
}
