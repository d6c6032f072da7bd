import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DbPool, openDb, rows, value } from '../../../sql/db.ts'
import { listPostings, readCompared } from '../../../sql/screening/lists.ts'
import { rankEntries } from '../../../tasks/products/screening/matching/candidates.ts'
import { WordIndex } from '../../../tasks/products/screening/matching/word-index.ts'
import { freshDatabase } from '../../support/database/fresh.ts'

let database: Awaited<ReturnType<typeof freshDatabase>>
let db: DbPool
beforeAll(async () => {
  database = await freshDatabase()
  db = openDb(database.url, { name: 'test' })
  await rows(
    db,
    "insert into svc.screening_list (key, title, families) select k, k, '{}' from unnest('{a,b}'::text[]) k",
  )
  await store({ list: 1, count: 50, from: 1, to: 2 })
  await store({ list: 2, count: 50, from: 1 })
  await store({ list: 1, count: 50, from: 9 })
  await store({ list: 1, count: 2, from: 2 })
})
afterAll(async () => {
  await db.end()
  await database[Symbol.asyncDispose]()
})

/** Entries with the same two words, of a list, from one version to another. */
async function store({ list, count, from, to }: { list: number; count: number; from: number; to?: number }) {
  await rows(
    db,
    `insert into svc.screening_entity (list_id, source_id, first_version, end_version, hash, families, words, names, body)
     select $1, n, $2, $3, '', '{}', '{7,8}', '[]', '{}' from generate_series(1, $4) n`,
    [list, from, to ?? null, count],
  )
}

test('entries of ended versions and of other lists take no place of those that are searched', async () => {
  const [[, ids]] = (await listPostings(db, [7])) as [[number, number[]]]
  const read = async (lists: number[], versions: number[], limit: number) =>
    (await readCompared(db, { ids, lists, versions, limit, facts: [] })).length
  expect(ids).toHaveLength(152)
  expect(await read([1], [3], 1)).toBe(1)
  expect(await read([1], [3], 100)).toBe(2)
  expect(await read([1], [1], 100)).toBe(50)
  expect(await read([1, 2], [3, 3], 100)).toBe(52)
  expect(await read([2, 1], [1, 9], 200)).toBe(102)
  expect(await read([3], [3], 100)).toBe(0)
})

test('an entry is found by its words as long as it is stored', async () => {
  await store({ list: 2, count: 3, from: 5 })
  const count = async () => (await listPostings(db, [8]))[0]![1].length
  expect(await count()).toBe(155)
  await rows(db, 'delete from svc.screening_entity where first_version = 5')
  expect(await count()).toBe(152)
  expect(await listPostings(db, [6])).toEqual([])
})

test('the release before finds entries by pairs of words, one word and rare words', async () => {
  const find = async (pairs: number[][][], rare: number[]) =>
    (
      await value<[string, number[]][]>(db, 'select screening.find_candidates($1, $2, $3, $4, 100)', [
        ...[[1, 2], [2, 2], JSON.stringify(pairs)],
        rare,
      ])
    ).length
  expect(await find([[[7, 5], [8]]], [])).toBe(52)
  expect(await find([[[7], [9]]], [])).toBe(0)
  expect(await find([[[7], []]], [])).toBe(52)
  expect(await find([], [8])).toBe(52)
  expect(await find([], [9])).toBe(0)
})

test('entries are ranked by their best word of each group, and need two words of a name or a rare one', () => {
  const groups = [
    { words: new Map([...([[1, 0.8]] as const), [2, 0.9]]), name: 0, least: 2 },
    { words: new Map([[3, 1]]), name: 0, least: 2 },
    { words: new Map([[4, 0.5]]), name: 0 },
    { words: new Map([[5, 1]]), name: 1, least: 2 },
  ]
  const postings = new Map([
    [1, [10, 11]],
    [2, [11, 12]],
    [3, [10, 11, 13]],
    [4, [13, 10]],
    [5, [12, 13, 14]],
  ])
  // 13 has one word that counts of each of two names.
  expect(rankEntries({ groups, rare: new Set() }, postings)).toEqual([10, 11])
  expect(rankEntries({ groups, rare: new Set([5]) }, postings)).toEqual([13, 10, 11, 12, 14])
  const single = [{ words: new Map([[3, 1]]), name: 0, least: 1 }]
  expect(rankEntries({ groups: single, rare: new Set() }, postings)).toEqual([10, 11, 13])
})

/** Counts the words of every entry, one entry after the other. */
function rankEach({ groups, rare }: Query, postings: ReadonlyMap<number, readonly number[]>): number[] {
  const has = (entry: number) => (word: number) => postings.get(word)?.includes(entry) ?? false
  const ranked = [...new Set([...postings.values()].flat())].map(entry => {
    const found = groups.map(({ words }) =>
      Math.max(...[...words].filter(([word]) => has(entry)(word)).map(([, likeness]) => likeness)),
    )
    const isNamed = groups.some(({ name, least }) => {
      const counted = groups.filter((group, at) => group.name === name && group.least && found[at]! > 0)
      return least !== undefined && counted.length >= least
    })
    const isRare = groups.some(({ words }) => [...words.keys()].some(word => rare.has(word) && has(entry)(word)))
    return { entry, likeness: found.reduce((sum, one) => sum + Math.max(one, 0), 0), isWanted: isNamed || isRare }
  })
  return ranked
    .filter(({ isWanted }) => isWanted)
    .sort((one, other) => other.likeness - one.likeness || one.entry - other.entry)
    .map(({ entry }) => entry)
}

type Query = Parameters<typeof rankEntries>[0]
const word = fc.integer({ min: 1, max: 9 })
const words = fc.uniqueArray(word, { maxLength: 4 })

test('an entry that can be wanted is never passed over', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(words, fc.boolean()), { maxLength: 4 }),
      fc.array(fc.tuple(words, fc.boolean()), { maxLength: 3 }),
      words,
      fc.array(fc.uniqueArray(fc.integer({ min: 1, max: 20 }), { maxLength: 8 }), { minLength: 9, maxLength: 9 }),
      (first, second, rare, entries) => {
        const groups = [first, second].flatMap((ofName, name) =>
          ofName.map(([found, isCounted]) => ({
            // Quarters add up exactly in any order.
            words: new Map(found.map(one => [one, (1 + (one % 4)) / 4] as const)),
            ...{ name, ...(isCounted && { least: Math.min(ofName.length, 2) }) },
          })),
        )
        const postings = new Map(entries.map((of, at) => [at + 1, of] as const))
        const query = { groups, rare: new Set(rare) }
        expect(rankEntries(query, postings)).toEqual(rankEach(query, postings))
      },
    ),
  )
})

test('an index asks once for what it has read, also for keys that no word has', async () => {
  const asked: (readonly number[])[] = []
  const [anna, anne] = [
    { id: 1, word: 'anna', entries: 2 },
    { id: 2, word: 'anne', entries: 1 },
  ]
  const words = new Map([
    [7, [anna, anne]],
    [8, [anne]],
  ])
  const index = new WordIndex(
    {
      listWords: async keys => {
        asked.push(keys)
        return [...words].filter(([key]) => keys.includes(key))
      },
      listPostings: async words => {
        asked.push(words)
        return words.map(word => [word, [word * 10]])
      },
    },
    null,
  )
  const find = async (keys: number[]) =>
    (await index.findWords(keys)).map(({ spelt, ...listed }) => [spelt.text, listed])
  expect(await find([7, 9])).toEqual([
    ['anna', anna],
    ['anne', anne],
  ])
  expect(await find([9, 8, 7])).toEqual([
    ['anne', anne],
    ['anna', anna],
  ])
  expect(await find([9])).toEqual([])
  expect(asked).toEqual([[7, 9], [8]])
  expect(await index.findPostings([1])).toEqual(new Map([[1, [10]]]))
  expect(await index.findPostings([1, 2])).toEqual(
    new Map([
      [1, [10]],
      [2, [20]],
    ]),
  )
  expect(asked.slice(2)).toEqual([[1], [2]])
})
