import { afterAll, beforeAll, expect, test } from 'vitest'
import { hashApiKey } from '../../../ops/secrets.ts'
import { createAccount, creditAccount, readAccount } from '../../../sql/account.ts'
import { rows } from '../../../sql/db.ts'
import { createKey } from '../../../sql/key.ts'
import { checkInvariants } from '../../../sql/ledger.ts'
import { writeSetting } from '../../../sql/setting.ts'
import { decodeHeader, openPaidApi, type PaidApi, readBalance } from '../../support/chain/in-process-paid-api.ts'
import { callTool } from '../../support/mcp/client.ts'
import { openOAuthClient, openVisitor } from '../../support/oauth/connection.ts'

let api: PaidApi
beforeAll(async () => {
  api = await openPaidApi()
})
afterAll(() => api[Symbol.asyncDispose]())

/** The books of money and of leases, after each story. */
async function expectExactBooks(): Promise<void> {
  expect(await checkInvariants(api.context.db)).toEqual([])
  expect(await rows(api.context.db, 'select * from lease.check_invariants()')).toEqual([])
  expect(await rows(api.context.db, 'select id from svc.account where held_micros <> 0')).toEqual([])
}

async function openKey() {
  const { db, config } = api.context
  const { id: accountId } = await createAccount(db)
  await creditAccount(db, { accountId, amountMicros: 100_000n })
  const key = await createKey(db, { accountId, mode: 'test', hash: word => hashApiKey(config.secret, word) })
  return { authorization: `Bearer ${key}` }
}

const post = (path: string, headers: Record<string, string>, payload?: Buffer | string) =>
  api.app.inject({ method: 'POST', url: path, headers, ...(payload !== undefined && { payload }) })

test('without an account a lease is offered at its exact price, and nothing of the body is stored', async () => {
  const large = { 'x-capacity-bytes': '104857600', 'x-duration-seconds': '2592000' }
  const offer = await post('/api/mailbox', large)
  expect([offer.statusCode, offer.json().serviceKey]).toEqual([402, 'leases.create-mailbox'])
  expect(decodeHeader(offer.headers['payment-required']).accepts![0]).toMatchObject({ amount: '450000' })
  const body = Buffer.alloc(100_000, 'x')
  expect((await post('/api/storage', { 'content-type': 'image/png' }, body)).statusCode).toBe(402)
  const dear = { 'x-max-body-bytes': '52428800', 'x-duration-seconds': '2592000' }
  const short = await post('/api/storage', { ...dear, 'payment-signature': api.chain.wallet().pay(74_999n) }, body)
  expect(short.json()).toMatchObject({ code: 'UNDERPAID', leastMicros: '75000' })
  const owner = await openKey()
  expect((await post('/api/storage', { ...owner, ...dear }, body)).statusCode).toBe(201)
  expect((await post('/api/storage', { ...owner, ...dear }, body)).json().code).toBe('INSUFFICIENT_BALANCE')
  expect(await rows(api.context.db, "select from svc.object where kind = 'lease'")).toHaveLength(1)
  const dry = await post('/api/storage', { ...dear, 'x-dry-run': 'true' })
  expect([dry.statusCode, dry.json()]).toEqual([
    200,
    { status: 'dry_run', cost_micros: '75000', max_body_bytes: 52_428_800, duration_seconds: 2_592_000 },
  ])
  await expectExactBooks()
})

test('a wallet pays for a lease over MCP, and what it paid for one that is refused is its credit', async () => {
  const wallet = api.chain.wallet()
  const buy = (payment?: string) =>
    callTool(
      api.app,
      'leases_create_checkpoint',
      { workflow_id: 'paid', body: { step: 1 } },
      {
        ...(payment && { meta: { 'x402/payment': payment } }),
      },
    )
  const { result: offer } = (await buy()).body
  expect(offer._meta['x402/error']).toMatchObject({ error: 'PAYMENT_REQUIRED', accepts: [{ amount: '10000' }, {}] })
  const { result } = (await buy(wallet.pay(10_000n))).body
  expect(result.structuredContent).toMatchObject({ status: 'created', workflow_id: 'paid', cost_micros: '1000' })
  expect(result._meta['x402/payment-response']).toMatchObject({ success: true, amount: '1000' })
  expect(await readBalance(api, wallet.address)).toBe(9_000n)
  const { result: refused } = (await buy(wallet.pay(10_000n))).body
  expect(refused.structuredContent.code).toBe('WORKFLOW_ID_IN_USE')
  expect(await readBalance(api, wallet.address)).toBe(9_000n)
  await expectExactBooks()
})

test('a connector buys, fills and reads leases within its daily limit', async () => {
  const visitor = await openVisitor(api)
  const client = await openOAuthClient(api)
  const { access_token: token } = await client.connect(visitor, { scope: 'mcp:read leases:write' }, '0.002')
  const headers = { authorization: `Bearer ${token}` }
  const call = async (name: string, args: object) => (await callTool(api.app, name, args, { headers })).body.result
  const stored = await call('leases_create_storage', { file: { text: 'hello', mimeType: 'text/plain' } })
  expect(stored.structuredContent).toMatchObject({ status: 'created', size_bytes: 5, cost_micros: '1000' })
  const read = await call('leases_read_storage', { lease_id: stored.structuredContent.lease_id })
  expect(read.content[1].resource.text).toBe('hello')
  expect((await call('leases_create_mailbox', {})).structuredContent.status).toBe('created')
  expect((await call('leases_create_mailbox', {})).structuredContent.code).toBe('SPEND_LIMIT_REACHED')
  expect((await readAccount(api.context.db, visitor.accountId))!.balanceMicros.toString()).toBe('4998000')
  await expectExactBooks()
})

test('the price list follows the settings of leases', async () => {
  const { db, settings } = api.context
  const read = async () => (await api.app.inject('/v1/prices')).json().operations['leases.create-mailbox']
  expect(await read()).toMatchObject({ path: '/api/mailbox', rateMicros: '150', floorMicros: '1000' })
  await writeSetting(db, 'lease.mailbox_rate', 700)
  await writeSetting(db, 'lease.minimum_micros', 5_000)
  await settings.refresh()
  expect(await read()).toMatchObject({ rateMicros: '700', floorMicros: '5000' })
  expect((await post('/api/mailbox', { 'x-dry-run': 'true' })).json().cost_micros).toBe('5000')
  for (const name of ['lease.mailbox_rate', 'lease.minimum_micros']) await writeSetting(db, name, null)
  await settings.refresh()
})
