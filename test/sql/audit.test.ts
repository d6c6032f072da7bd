import { expect, test } from 'vitest'
import { newId } from '#kit'
import { type Db, rows, value } from '../../sql/db.ts'
import { openTestLedger } from '../support/database/ledger.ts'

const [subject, owner] = [newId(), newId()]

const append = (db: Db, action: string, detail: object = {}) =>
  value(db, "select audit.append('envelope', $1, $2, 'owner', $3, $4)", [subject, owner, action, detail])
const verify = (db: Db) => value(db, "select audit.verify('envelope', $1)", [subject])

test('entries follow each other, also those that are written at once, and only their owner reads them', async () => {
  await using ledger = await openTestLedger()
  const { db } = ledger
  await Promise.all(Array.from({ length: 8 }, (_, n) => append(db, 'opened', { n })))
  expect(await verify(db)).toBeNull()
  const entries = await value<{ seq: number; hash: string; previous: string | null }[]>(
    db,
    "select audit.read($1, 'envelope', $2)",
    [owner, subject],
  )
  expect(entries.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  for (const [place, entry] of entries.entries()) expect(entry.previous).toBe(entries[place - 1]?.hash ?? null)
  const others = value(db, "select audit.read($1, 'envelope', $2)", [newId(), subject])
  await expect(others).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test('an entry cannot be changed or deleted, and a change by force is found', async () => {
  await using ledger = await openTestLedger()
  const { db } = ledger
  for (const action of ['made', 'sent', 'signed']) await append(db, action)
  for (const change of [
    "update svc.audit_entry set actor = 'x'",
    'delete from svc.audit_entry',
    'truncate svc.audit_entry',
  ])
    await expect(rows(db, change)).rejects.toThrow('append-only')
  for (const [change, at] of [
    ['update svc.audit_entry set detail = \'{"by":"x"}\' where seq = 3', 3],
    ["update svc.audit_entry set actor = 'x' where seq = 2", 2],
    ['delete from svc.audit_entry where seq = 1', 2],
  ] as const) {
    await rows(
      db,
      `alter table svc.audit_entry disable trigger user; ${change}; alter table svc.audit_entry enable trigger user`,
    )
    expect(await verify(db)).toBe(at)
  }
  await value(db, "select audit.erase_subjects('envelope', $1)", [[subject]])
  expect(await rows(db, 'select from svc.audit_entry')).toEqual([])
})
