import { expect, test } from 'vitest'
import { newId, transitions } from '#kit'
import { type Db, rows, value } from '../../sql/db.ts'
import { openTestLedger } from '../support/database/ledger.ts'

const BOOKING = transitions(
  'svc.booking',
  { open: ['held', 'ended'], held: ['ended'], ended: [] },
  { ended: 'job.completed' },
)

/** A table as a product would make it, with a row that is open. */
async function openBooking(db: Db, accountId: string): Promise<string> {
  const id = newId()
  const columns = "id uuid primary key, account_id uuid, state text default 'open', state_at timestamptz"
  await rows(db, `create table if not exists svc.booking (${columns})`)
  await value(db, 'select transition.declare($1)', [JSON.stringify([{ ...BOOKING, initial: 'open' }])])
  await rows(db, 'insert into svc.booking (id, account_id) values ($1, $2)', [id, accountId])
  return id
}

const move = (db: Db, id: string, to: string, detail: object | null = null) =>
  value(db, "select transition.move('svc.booking', $1, $2, 'owner', $3)", [id, to, detail])

const read = (db: Db, id: string) => rows(db, 'select state, state_at from svc.booking where id = $1', [id])

test('a row moves by the declared rules only, with its time, its audit entry and its event', async () => {
  await using ledger = await openTestLedger()
  const { db } = ledger
  const accountId = await ledger.openAccount(0n)
  const id = await openBooking(db, accountId)
  const endpoint = ['00000000-0000-7000-8000-000000000009', accountId]
  const register = "select webhook.register($1, $2, null, 'https://a.example/', '{job.completed}', null, 's', 9)"
  await value(db, register, endpoint)
  await move(db, id, 'held', { by: 'phone' })
  await expect(move(db, id, 'open')).rejects.toMatchObject({
    ...{ code: 'ILLEGAL_TRANSITION', status: 409, hints: { from: 'held', to: 'open', allowed: ['ended'] } },
  })
  await expect(move(db, id, 'lost')).rejects.toMatchObject({ code: 'ILLEGAL_TRANSITION' })
  await expect(move(db, newId(), 'ended')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect(await rows(db, 'select from svc.webhook_delivery')).toHaveLength(0)
  await move(db, id, 'ended', { jobId: id })
  expect(await read(db, id)).toEqual([{ state: 'ended', state_at: expect.any(Date) }])
  expect(await rows(db, 'select event, payload from svc.webhook_delivery')).toEqual([
    { event: 'job.completed', payload: { jobId: id } },
  ])
  expect(await value(db, "select audit.read($1, 'booking', $2)", [accountId, id])).toMatchObject([
    { seq: 1, actor: 'owner', action: 'held', detail: { from: 'open', by: 'phone' }, previous: null },
    { seq: 2, actor: 'owner', action: 'ended', detail: { from: 'held', jobId: id } },
  ])
})

test('of moves that come together one succeeds', async () => {
  await using ledger = await openTestLedger()
  const id = await openBooking(ledger.db, newId())
  const moves = await Promise.allSettled(Array.from({ length: 8 }, () => move(ledger.db, id, 'ended')))
  expect(moves.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
})

test('an update that bypasses the rules is refused, and so is a row that begins in a later state', async () => {
  await using ledger = await openTestLedger()
  const { db } = ledger
  const id = await openBooking(db, newId())
  await expect(rows(db, "update svc.booking set state = 'ended'")).rejects.toThrow('only by transition.move')
  await expect(rows(db, "insert into svc.booking values ($1, null, 'held')", [newId()])).rejects.toThrow(
    'begins as open',
  )
  await rows(db, "update svc.booking set state = 'open', state_at = now()")
  expect(await read(db, id)).toMatchObject([{ state: 'open' }])
  await expect(rows(db, "update svc.handoff set state = 'claimed'")).resolves.toEqual([])
  const [declared] = await rows(
    db,
    "select tgname from pg_trigger where tgrelid = 'svc.handoff'::regclass and tgname = 'guard_state'",
  )
  expect(declared).toBeDefined()
})
