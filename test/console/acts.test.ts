import { makeSchema } from 'postgraphile'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '#kit'
import { buildPreset } from '../../api/console/graphql.ts'
import { openLog } from '../../ops/log.ts'
import { rows, value } from '../../sql/db.ts'
import { type ConsoleClient, type OpenedConsole, openConsole } from '../support/console/open.ts'
import { openIdleStack } from '../support/stack/default.ts'
import type { Customer, Stack } from '../support/stack/start.ts'

let stack: Stack
let console: OpenedConsole
let full: ConsoleClient
beforeAll(async () => {
  stack = await openIdleStack()
  console = await openConsole(stack)
  full = await console.operator('olga', 'full')
})
afterAll(async () => {
  await console[Symbol.asyncDispose]()
  await stack[Symbol.asyncDispose]()
})

interface Logged extends Record<string, unknown> {
  operator: string
  action: string
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
  reason: string | null
}

/** What is logged of a subject, the newest first. */
function logOf(subject: string): Promise<Logged[]> {
  return rows<Logged>(stack.db, 'select * from admin.act where starts_with(subject, $1) order by seq desc', [subject])
}

async function callHash(customer: Customer): Promise<string> {
  const called = await customer.post('/v1/utils/hash', { text: 'hello' })
  expect(called.status).toBe(200)
  return called.headers.get('x-service-job-id')!
}

test('GraphQL offers the acts that there are and no other way to change a row', async () => {
  const { schema } = await makeSchema(buildPreset({ db: stack.db, log: openLog({ logLevel: 'silent', name: 'test' }) }))
  expect(Object.keys(schema.getMutationType()!.getFields()).sort()).toEqual([
    ...['cancelJob', 'changeOperator', 'creditAccount', 'drainWorker', 'limitKey', 'openIncident', 'redeliver'],
    ...['refreshList', 'refundJob', 'refundJobs', 'retryJob', 'retryStep', 'revokeKey', 'setSetting', 'shareLanes'],
    ...['suspendAccount', 'undoChange', 'updateIncident'],
  ])
  const types = JSON.stringify(Object.keys(schema.getTypeMap()))
  expect(types).not.toMatch(/sealed|secret|hash|session/i)
})

test('a credit is in the ledger and in the log with who, why, before and after', async () => {
  const customer = await stack.customer()
  const path = `/accounts/${customer.accountId}`
  const wrong = await full.submit(path, `${path}/credit`, { amount: '-5', reason: 'a gift' })
  expect(wrong.status).toBe(400)
  expect((await full.submit(path, `${path}/credit`, { amount: '2.5', reason: ' ' })).status).toBe(400)
  expect((await full.submit(path, `${path}/credit`, { amount: '2.5', reason: 'a gift' })).status).toBe(303)
  expect(await customer.money()).toEqual({ balance: 3_500_000n, held: 0n })
  expect(await logOf(customer.accountId)).toMatchObject([
    {
      ...{ operator: 'olga', action: 'account.credit', reason: 'a gift' },
      ...{ before: { balance_micros: 1_000_000 }, after: { balance_micros: 3_500_000 } },
    },
  ])
  // The log stays when the account is erased, so it names nobody.
  const [{ before, after }] = (await logOf(customer.accountId)) as [Logged]
  for (const kept of [before, after])
    for (const name of ['name', 'identities', 'wallets']) expect(kept).not.toHaveProperty(name)
  const lines = await customer.get('/v1/account/ledger?type=topup')
  expect(lines.body.data[0]).toMatchObject({ amountMicros: '2500000' })
})

test('a reference is credited once by the console, also by another form', async () => {
  const customer = await stack.customer()
  const path = `/accounts/${customer.accountId}`
  const credit = { amount: '2.5', reason: 'a transfer', reference: ' bank 4711 ' }
  expect((await full.submit(path, `${path}/credit`, credit)).status).toBe(303)
  expect((await full.submit(path, `${path}/credit`, { ...credit, reference: 'bank 4711' })).status).toBe(409)
  expect(await customer.money()).toEqual({ balance: 3_500_000n, held: 0n })
  expect(await logOf(customer.accountId)).toHaveLength(1)
})

test('an incident that an operator opens is told to customers, and the log has each of its updates', async () => {
  const reader = await console.operator('ines', 'read')
  const fields = {
    title: 'Images of Olga are slow',
    impact: 'outage',
    components: 'api, lane:native',
    text: 'We look into it.',
  }
  expect((await reader.submit('/incidents', '/incidents', fields)).status).toBe(403)
  expect((await full.submit('/incidents', '/incidents', { ...fields, title: ' ' })).status).toBe(400)
  expect((await full.submit('/incidents', '/incidents', fields)).status).toBe(303)
  const [{ id, components }] = (await rows<{ id: string; components: string[] }>(
    stack.db,
    'select id::text, components from svc.incident where title = $1',
    [fields.title],
  )) as [{ id: string; components: string[] }]
  expect(components).toEqual(['api', 'lane:native'])
  const end = { state: 'resolved', text: 'It is over.' }
  expect((await full.submit('/incidents', `/incidents/${id}`, end)).status).toBe(303)
  expect((await full.submit('/incidents', `/incidents/${id}`, end)).status).toBe(404)
  expect(await logOf(id)).toMatchObject([
    { action: 'incident.update', after: 'resolved', reason: 'It is over.' },
    { action: 'incident.open', after: { impact: 'outage' }, reason: 'We look into it.' },
  ])
})

test('a suspended account is refused everywhere until it is resumed', async () => {
  const customer = await stack.customer()
  const path = `/accounts/${customer.accountId}`
  await full.submit(path, `${path}/suspend`, { reason: 'a stolen card' })
  // An api hears of it a moment later.
  await expect.poll(async () => (await customer.get('/v1/account')).body.code).toBe('ACCOUNT_SUSPENDED')
  await full.submit(path, `${path}/resume`, { reason: 'it was theirs' })
  await expect.poll(async () => (await customer.get('/v1/account')).status).toBe(200)
  expect((await logOf(customer.accountId)).map(({ action }) => action)).toEqual(['account.resume', 'account.suspend'])
})

test('how an account shares the lanes is set within bounds, and what is left empty is standard', async () => {
  const customer = await stack.customer()
  const path = `/accounts/${customer.accountId}`
  const set = (fields: Record<string, string>) => full.submit(path, `${path}/lanes`, { reason: 'a flood', ...fields })
  expect((await set({ share: '101' })).status).toBe(400)
  expect((await set({ running: 'x' })).status).toBe(400)
  expect((await set({ share: '25', running: '2', urgency: '1' })).status).toBe(303)
  expect((await full.get(path)).text).toContain('name="share" value="25"')
  await set({})
  const [last, first] = await logOf(customer.accountId)
  expect(last!.after).not.toHaveProperty('lane_share_percent')
  expect([first!.after, last!.before]).toMatchObject([
    { lane_share_percent: 25, lane_max_running: 2, lane_urgency: 1 },
    { lane_share_percent: 25, lane_max_running: 2, lane_urgency: 1 },
  ])
})

test('a call is refunded in part and in whole, and never more than it was charged', async () => {
  const customer = await stack.customer()
  const id = await callHash(customer)
  expect(await customer.money()).toMatchObject({ balance: 999_000n })
  const path = `/jobs/${id}`
  expect((await full.submit(path, `${path}/refund`, { amount: '0.002', reason: 'too much' })).status).toBe(400)
  expect((await full.submit(path, `${path}/refund`, { amount: '0.0004', reason: 'slow' })).status).toBe(303)
  const rest = await full.query(
    `mutation($id: UUID!) {
    refundJob(input: { id: $id, reason: "wrong" }) { result { refundedMicros } } }`,
    { id },
  )
  expect(rest.body.data).toEqual({ refundJob: { result: { refundedMicros: '1000' } } })
  expect((await full.submit('/', `${path}/refund`, { reason: 'again' })).status).toBe(400)
  expect(await customer.money()).toEqual({ balance: 1_000_000n, held: 0n })
})

test('a range of calls is refunded for the amount that was seen, and for no other', async () => {
  const customer = await stack.customer()
  const from = new Date(Date.now() - 60_000).toISOString().slice(0, 16)
  const to = new Date(Date.now() + 120_000).toISOString().slice(0, 16)
  await callHash(customer)
  await callHash(customer)
  const range = { account: customer.accountId, operation: 'utils.hash', from, to }
  const page = `/refunds?${new URLSearchParams(range)}`
  expect((await full.get(page)).text).toContain('2 calls, $0.002')
  const stale = await full.submit(page, '/refunds', { ...range, amount: '1000', reason: 'an outage' })
  expect(stale.status).toBe(409)
  expect(await customer.money()).toMatchObject({ balance: 998_000n })
  expect(await full.submit(page, '/refunds', { ...range, amount: '2000', reason: 'an outage' })).toMatchObject({
    status: 303,
  })
  expect(await customer.money()).toEqual({ balance: 1_000_000n, held: 0n })
})

test('a waiting job is found and cancelled, and what it holds is free', async () => {
  const customer = await stack.customer()
  const file = { inline: Buffer.from('a,b\n1,2\n').toString('base64') }
  const ticket = await customer.post('/v1/csv/select', { file, columns: ['a'], async: true })
  expect(ticket.status).toBe(202)
  const found = await full.get(`/jobs?account=${customer.accountId}&status=submitted`)
  expect(found.text).toContain(ticket.body.ticket)
  await full.submit(`/jobs/${ticket.body.ticket}`, `/jobs/${ticket.body.ticket}/cancel`, { reason: 'stuck' })
  expect(await customer.money()).toEqual({ balance: 1_000_000n, held: 0n })
  expect((await full.get(`/jobs/${ticket.body.ticket}`)).text).toContain('JOB_CANCELLED')
  expect((await full.get(`/jobs/${newId()}`)).status).toBe(404)
})

test('a setting is checked, changed, scheduled, cancelled and undone', async () => {
  const [name, path] = ['rate.sign_in_per_minute', '/settings/rate.sign_in_per_minute']
  const set = (fields: Record<string, string>) => full.submit(path, path, fields)
  expect((await set({ value: '-1' })).status).toBe(400)
  expect((await set({ value: 'many' })).status).toBe(400)
  expect((await set({ value: '31.5' })).status).toBe(400)
  expect((await set({ value: '32', due: '2999-02-30T00:00' })).status).toBe(400)
  expect(await value(stack.db, 'select value from admin.setting where name = $1', [name])).toBe(30)
  expect((await set({ value: '31' })).status).toBe(303)
  expect((await set({ value: '32', due: '2999-01-01T00:00' })).status).toBe(303)
  const changes = await rows<{ id: bigint; state: string; after: number; actor: string }>(
    stack.db,
    'select * from admin.change where name = $1 order by id',
    [name],
  )
  expect(changes).toMatchObject([
    { state: 'applied', after: 31, actor: 'olga' },
    { state: 'scheduled', after: 32, actor: 'olga' },
  ])
  for (const { id } of changes.reverse())
    expect((await full.submit(path, `/changes/${id}/undo`, { back: path })).status).toBe(303)
  expect(await value(stack.db, 'select value from admin.setting where name = $1', [name])).toBe(30)
  const unknown = await full.query('mutation { setSetting(input: { name: "no.such", value: 5 }) { result { name } } }')
  expect(unknown.body.errors?.[0]?.extensions?.code).toBe('INVALID_PARAM')
})

test('a scheduled change is made when it is due, in the name of who asked for it', async () => {
  const path = '/settings/rate.sign_in_per_minute'
  await full.submit(path, path, { value: '33', due: '2999-01-01T00:00' })
  await rows(stack.db, "update svc.setting_change set due_at = now() where state = 'scheduled' and after = '33'")
  expect(await value(stack.db, 'select setting.apply_due()')).toBe(1)
  const newest = 'select actor, state, after from admin.change order by id desc limit 1'
  expect(await rows(stack.db, newest)).toEqual([{ actor: 'olga', state: 'applied', after: 33 }])
  await full.submit(path, path, { standard: 'yes' })
})

test('a price is previewed on the calls of the last week, set and undone', async () => {
  const customer = await stack.customer()
  await callHash(customer)
  const path = '/prices/utils.hash'
  const preview = await full.get(`${path}?usd=0.002`)
  for (const text of ['Would have been', '0.002', 'Set this price']) expect(preview.text).toContain(text)
  expect((await full.get(`${path}?usd=5`)).text).toContain('a call costs 0.001 to 1 USD')
  expect((await full.submit(`${path}?usd=0.002`, path, { usd: '0.002' })).status).toBe(303)
  expect(
    await rows(stack.db, 'select rate_micros, base_micros from admin.price where service_key = $1', ['utils.hash']),
  ).toHaveLength(1)
  const [change] = await rows<{ id: bigint }>(
    stack.db,
    "select id from admin.change where name = 'utils.hash' order by id desc limit 1",
  )
  expect((await full.submit(path, `/changes/${change!.id}/undo`, { back: path })).status).toBe(303)
  expect(await rows(stack.db, 'select from admin.price where service_key = $1', ['utils.hash'])).toEqual([])
})

test('a limit on a key holds, and a revoked key is none', async () => {
  const customer = await stack.customer()
  const [{ prefix }] = (await rows<{ prefix: string }>(
    stack.db,
    'select prefix from admin.api_key where account_id = $1',
    [customer.accountId],
  )) as [{ prefix: string }]
  const path = `/accounts/${customer.accountId}`
  await full.submit(path, `${path}/keys/${prefix}/limit`, { call: '', day: '0.001', reason: 'a leak' })
  await callHash(customer)
  expect((await customer.post('/v1/utils/hash', { text: 'x' })).body).toMatchObject({ code: 'SPEND_LIMIT_REACHED' })
  await full.submit(path, `${path}/keys/${prefix}/revoke`, { reason: 'a leak' })
  await expect.poll(async () => (await customer.get('/v1/account')).status).toBe(401)
})

test('an operator sees the pages of an account and can change nothing there', async () => {
  const customer = await stack.customer()
  const path = `/accounts/${customer.accountId}`
  const shown = await full.submit(path, `${path}/view`, { reason: 'a question' })
  const link = /href="([^"]+\/sign-in\/view\/[^"]+)"/.exec(shown.text)![1]!
  expect(await (await fetch(link)).text()).toContain(customer.accountId)
  const opened = await fetch(link, { method: 'POST', headers: { origin: stack.url }, redirect: 'manual' })
  const cookie = opened.headers.get('set-cookie')!.split(';')[0]!
  const page = await (await fetch(`${stack.url}/dashboard/keys`, { headers: { cookie } })).text()
  expect(page).toContain('You see what this account sees, as olga.')
  const csrf = /name="csrf" value="([\w-]+)"/.exec(page)![1]!
  const headers = { cookie, origin: stack.url }
  const body = new URLSearchParams({ csrf, name: 'mine' })
  const made = await fetch(`${stack.url}/dashboard/keys/new`, { method: 'POST', headers, body, redirect: 'manual' })
  expect([made.status, await made.text()]).toEqual([403, expect.stringContaining('nothing can be changed')])
  const viaApi = await fetch(`${stack.url}/v1/account/api-keys/regenerate`, {
    method: 'POST',
    headers: { ...headers, 'x-csrf-token': csrf, 'content-type': 'application/json' },
    body: '{}',
  })
  expect(viaApi.status).toBe(403)
  // It opens no session of the customer, and serves once.
  expect((await fetch(link, { method: 'POST', headers: { origin: stack.url }, redirect: 'manual' })).status).toBe(401)
})

test('the log cannot be changed, and a change behind its back is found', async () => {
  await expect(
    rows(stack.db, "update svc.audit_entry set actor = 'eve' where subject_kind = 'operator'"),
  ).rejects.toThrow(/append-only/)
  expect((await full.get('/log?verify')).text).toContain('Every entry is as it was written.')
  const seq = await value<number>(stack.db, "select max(seq) from svc.audit_entry where subject_kind = 'operator'")
  const change = (actor: string) =>
    rows(
      stack.db,
      `do $$ begin alter table svc.audit_entry disable trigger append_only;
      update svc.audit_entry set actor = '${actor}' where subject_kind = 'operator' and seq = ${seq};
      alter table svc.audit_entry enable trigger append_only; end $$`,
    )
  await change('eve')
  expect((await full.get('/log?verify')).text).toContain(`Entry ${seq} is not as it was written.`)
  await change('olga')
})
