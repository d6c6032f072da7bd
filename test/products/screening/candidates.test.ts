import { expect, test } from 'vitest'
import { type Db, openDb, rows } from '../../../sql/db.ts'
import { findCandidates } from '../../../sql/screening/lists.ts'
import { freshDatabase } from '../../support/database/fresh.ts'

/** Entries with the same two words, of a list, from one version to another. */
async function store(db: Db, { list, count, from, to }: { list: number; count: number; from: number; to?: number }) {
  await rows(
    db,
    `insert into svc.screening_entity (list_id, source_id, first_version, end_version, hash, families, words, names, body)
     select $1, n, $2, $3, '', '{}', '{7,8}', '[]', '{}' from generate_series(1, $4) n`,
    [list, from, to ?? null, count],
  )
}

test('entries of ended versions and of other lists take no place of those that are searched', async () => {
  await using database = await freshDatabase()
  const db = openDb(database.url, { name: 'test' })
  await store(db, { list: 1, count: 50, from: 1, to: 2 })
  await store(db, { list: 2, count: 50, from: 1 })
  await store(db, { list: 1, count: 50, from: 9 })
  await store(db, { list: 1, count: 2, from: 2 })
  const find = async (lists: number[], versions: number[], limit: number) =>
    (await findCandidates(db, { lists, versions, pairs: [[[7], [8]]], rare: [], limit })).length
  expect(await find([1], [3], 1)).toBe(2)
  expect(await find([1], [1], 100)).toBe(50)
  expect(await find([1, 2], [3, 3], 100)).toBe(52)
  expect(await find([2, 1], [1, 9], 100)).toBe(102)
  expect(await find([3], [3], 100)).toBe(0)
  await db.end()
})
