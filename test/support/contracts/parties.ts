import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect } from 'vitest'
import { rows } from '../../../sql/db.ts'
import { openBatonOwner } from '../stack/baton-owner.ts'
import type { InProcessApi } from '../stack/in-process-api.ts'

const EVENTS = ['signed', 'active', 'disputed', 'ruled', 'declined', 'expired', 'withdrawn', 'superseded'].map(
  name => `contract.${name}`,
)

/** An account that has a webhook for all events of contracts. */
export async function openUser(api: InProcessApi) {
  const user = await openBatonOwner(api)
  await user.call('POST', '/v1/webhooks', { url: 'http://127.0.0.1:9/', events: EVENTS })
  const own = async (method: 'GET' | 'POST', path: string, payload?: object, headers = {}) => {
    const reply = await user.call(method, `/v1/contracts${path}`, payload, headers)
    return { status: reply.statusCode, body: reply.json() }
  }
  const events = async () => {
    const found = await rows<{ event: string }>(
      api.context.db,
      `select d.event from svc.webhook_delivery d join svc.webhook_endpoint e on e.id = d.endpoint_id
       where e.account_id = $1 order by d.sequence`,
      [user.accountId],
    )
    return found.map(({ event }) => event.replace('contract.', ''))
  }
  return { ...user, own, events }
}

type User = Awaited<ReturnType<typeof openUser>>

/** A contract of a user between a wallet and an account. */
export async function makeContract(creator: User, buyer: User, more: object = {}) {
  const wallet = privateKeyToAccount(generatePrivateKey())
  const parties = [
    { key: 'seller', method: 'wallet', address: wallet.address, role: 'Verkäufer' },
    { key: 'buyer', method: 'account', customerId: buyer.accountId },
  ]
  const body = { title: 'Data', terms: { rows: 10_000, price: '5 USDC', until: '2026-12-31' }, parties, ...more }
  const { status, body: contract } = await creator.own('POST', '', body)
  expect(status, JSON.stringify(contract)).toBe(201)
  const tokens = contract.partyUrls.map(({ url }: { url: string }) => new URL(url).pathname.split('/').at(-1)!)
  return { id: contract.id as string, contract, wallet, tokens: tokens as string[] }
}

type Made = Awaited<ReturnType<typeof makeContract>>

/** Calls without an account. */
export async function callAnonymously(api: InProcessApi, method: 'GET' | 'POST', path: string, payload?: object) {
  const reply = await api.app.inject({ method, url: `/v1/contracts/${path}`, ...(payload && { payload }) })
  return { status: reply.statusCode, body: reply.json() }
}

export async function signByWallet(api: InProcessApi, { id, contract, wallet }: Made, change: object = {}, path = id) {
  const { signPayload: data } = contract.parties[0]
  const signature = await wallet.signTypedData({ ...data, message: { ...data.message, ...change } })
  return callAnonymously(api, 'POST', `${path}/sign`, {
    ...{ partyKey: 'seller', signature, address: wallet.address, signedAt: data.message.signedAt },
  })
}

export const accept = ({ contract }: Made) => ({ partyKey: 'buyer', accept: true, termsHash: contract.termsHash })

/** The id as the database has it. */
export function uuidOf(id: string): string {
  return id.slice(4).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
