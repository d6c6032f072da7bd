import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rows } from '../../sql/db.ts'
import { eventually } from '../support/machine/eventually.ts'
import type { Role } from '../support/stack/role.ts'
import { type Customer, type Stack, startStack } from '../support/stack/start.ts'

let stack: Stack
let customer: Customer
let api: Role
beforeAll(async () => {
  stack = await startStack({ worker: false })
  customer = await stack.customer()
  api = stack.api
})
afterAll(() => stack[Symbol.asyncDispose]())

const RECORDING = `select pid from pg_stat_activity where wait_event_type = 'Lock' and query like '%witness.record(%'`
const countRecords = async (id: string) =>
  (await rows(stack.db, 'select from svc.witness where baton_id = $1', [id])).length

/** Kills the api after it has signed a record and before that is stored, because the test holds the table of records. */
async function killBetween(id: string, key: string, beforeRelease: () => Promise<unknown>): Promise<void> {
  const holder = new pg.Client({ connectionString: stack.databaseUrl })
  await holder.connect()
  await holder.query('begin; lock table svc.witness in exclusive mode')
  const call = customer.post(`/v1/baton/${id}/trust/document-witness`, {}, { 'idempotency-key': key })
  const outcome = call.then(
    ({ status }) => status,
    () => 'cut',
  )
  await eventually('the record to be signed', async () => (await rows(stack.db, RECORDING)).length > 0)
  await api.kill()
  expect(await outcome).toBe('cut')
  await beforeRelease()
  await holder.query('rollback')
  await holder.end()
  await eventually('its connections to end', async () => (await rows(stack.db, RECORDING)).length === 0)
}

async function createDrop() {
  const { body } = await customer.post('/v1/baton', { preset: 'drop', tier: 'femto', content: 'x' })
  return { id: body.id as string, before: (await customer.money()).balance }
}

const repeat = (id: string, key: string) =>
  customer.post(`/v1/baton/${id}/trust/document-witness`, {}, { 'idempotency-key': key })

test('a record whose api died while it was stored is there, paid for, and given to the repeat', async () => {
  const { id, before } = await createDrop()
  await killBetween(id, 'first', async () => undefined)
  await eventually('the record', async () => (await countRecords(id)) === 1)
  api = await stack.startApi()
  const again = await repeat(id, 'first')
  expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true'])
  expect((await customer.get(`/v1/baton/${id}/trust/proof`)).body).toEqual(again.body)
  expect(await customer.money()).toEqual({ balance: before - 50_000n, held: 0n })
})

test('a record that was lost with its api was never there, costs nothing, and can be made again', async () => {
  const { id, before } = await createDrop()
  await killBetween(id, 'second', () => rows(stack.db, RECORDING.replace('pid', 'pg_terminate_backend(pid)')))
  expect(await countRecords(id)).toBe(0)
  api = await stack.startApi()
  expect((await customer.post(`/v1/baton/${id}`, { content: 'y' })).status).toBe(201)
  await rows(stack.db, "update svc.job set deadline_at = now() - interval '1 second' where status = 'submitted'")
  await rows(stack.db, 'select job.expire()')
  expect(await customer.money()).toEqual({ balance: before, held: 0n })
  const made = await repeat(id, 'second')
  expect([made.status, made.headers.get('idempotency-replayed')]).toEqual([200, null])
  expect(await customer.money()).toEqual({ balance: before - 50_000n, held: 0n })
  expect([await countRecords(id), (await repeat(id, 'third')).body.code]).toEqual([1, 'ALREADY_WITNESSED'])
})
