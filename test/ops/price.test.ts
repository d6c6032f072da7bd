import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Rates } from '#kit'
import { loadCatalog } from '../../api/catalog.ts'
import { isPaid, type PaidEntry } from '../../api/surfaces/entries.ts'
import { expectedAmount, priceExample, readExamples } from '../../ops/prices/examples.ts'
import { scaleRates } from '../../ops/prices/scale.ts'
import { openDb } from '../../sql/db.ts'
import { openSettings, readPrices, writePrice } from '../../sql/setting.ts'
import { freshDatabase } from '../support/database/fresh.ts'
import { runCli } from '../support/stack/run-cli.ts'

const SECRET = 'a secret of the test, long enough'

let database: Awaited<ReturnType<typeof freshDatabase>>
let db: ReturnType<typeof openDb>
let entries: readonly PaidEntry[]
beforeAll(async () => {
  database = await freshDatabase()
  db = openDb(database.url, { name: 'test', size: 1 })
  entries = (await loadCatalog()).entries.filter(isPaid)
})
afterAll(async () => {
  await db.end()
  await database[Symbol.asyncDispose]()
})

const cli = (...args: string[]) => runCli({ DATABASE_URL: database.url, SECRET }, ...args)
const listChanged = async () => [...(await readPrices(db)).keys()]
const find = (name: string) => entries.find(candidate => candidate.name === name)!
const readAmounts = async (name: string, rates?: Rates) =>
  (await readExamples(find(name))).map(example => expectedAmount(priceExample(find(name), example, rates)))

test.each([
  // A base that covers the first bytes.
  ['utils.hash', 2_000n, { baseMicros: 2_000n, rateMicros: 2_000n }],
  ['data.sql-large', 33_001n, { baseMicros: 30_001n, rateMicros: 3_000n }],
  // Pages, and the two frames of a clip beside the base.
  ['pdf.to-markdown', 5_000n, { baseMicros: 0n, rateMicros: 2_500n }],
  ['media.frames', 4_400n, { baseMicros: 4_000n, rateMicros: 200n }],
  // The first example has another rate than the plain one.
  ['doc.to-markdown', 5_000n, { baseMicros: 0n, rateMicros: 2_500n }],
  ['location.route', 6_000n, { baseMicros: 6_000n, rateMicros: 1_000n }],
  ['text.case', 1_000n, { baseMicros: 1_000n, rateMicros: 1_000n }],
])('the first example of %s costs %i by these rates', async (name, micros, rates) => {
  const [typical] = await readExamples(find(name), 1)
  expect(scaleRates(find(name).price, priceExample(find(name), typical!), micros)).toEqual(rates)
  expect((await readAmounts(name, rates))[0]).toBe(micros)
})

test('price set prints the old and the new price of the examples, and `default` restores them', async () => {
  const { stdout } = await cli('price', 'set', 'doc.to-markdown', '0.004')
  expect(stdout).toMatch(/^doc.to-markdown: 0.002 USD per started MiB, 0.006 USD per page if the file is a PDF/)
  expect(stdout).toMatch(/\ncall +before +now\n/)
  expect(stdout.match(/ 0\.006 +0\.012$/gm)).toHaveLength(1)
  expect(await readAmounts('doc.to-markdown', (await openSettings(db)).ratesOf('doc.to-markdown'))).toEqual([
    ...[4_000n, 12_000n, 2_000n, 60_000n],
  ])
  const restored = JSON.parse((await cli('price', 'set', 'doc.to-markdown', 'default', '--json')).stdout)
  expect(restored.calls).toHaveLength(4)
  expect(restored.calls[0]).toMatchObject({ oldMicros: '4000', newMicros: '2000' })
  expect(await listChanged()).toEqual([])
})

test('the price of a route is set, and every priced call is listed', async () => {
  await cli('price', 'set', 'location.geocode', '0.004')
  await writePrice(db, 'web.readability', { rateMicros: 5_000n })
  const listed = JSON.parse((await cli('price', 'list', '--json')).stdout) as Record<string, unknown>[]
  expect(listed.map(({ operation }) => operation)).toEqual(entries.map(({ name }) => name).sort())
  expect(listed.filter(({ isChanged }) => isChanged)).toMatchObject([
    { operation: 'location.geocode', defaultMicros: '2000', currentMicros: '4000' },
    // Set by a release that knew the rate alone: the declared base stays.
    { operation: 'web.readability', defaultMicros: '4000', price: expect.stringContaining('0.004 USD, and 0.005 USD') },
  ])
  expect(listed.find(({ operation }) => operation === 'baton.create')).not.toHaveProperty('currentMicros')
  await writePrice(db, 'web.readability', null)
  await writePrice(db, 'location.geocode', null)
})

test.each([
  [['utils.hash', '2000'], /dollars, and a call costs 0.001 to 1 USD; if you mean 2000 micros, .* utils.hash 0.002\./],
  [['utils.hash', '2000', '--force'], /2000 is an amount of dollars/],
  [['utils.hash', '2'], /costs 0.001 to 1 USD\.$/],
  [['utils.hash', '0.0001'], /costs 0.001 to 1 USD\.$/],
  [['utils.hash', '$1'], /"\$1" is not an amount of dollars/],
  [['utils.hash', '0.5'], /0.5 USD is far from the default of utils.hash, 0.001 USD; add --force/],
  [['pdf.to-markdown', '0.002001'], /2 units .* set 0.002 or 0.002002/],
  [['baton.create', '0.01'], /quoted; change the settings baton.rate/],
  [['utils.nothing', '0.01'], /"price list" prints all/],
])('price set %j is refused with a hint', async (args, message) => {
  const { exitCode, stderr } = await cli('price', 'set', ...args)
  expect([exitCode, stderr]).toEqual([1, expect.stringMatching(message)])
  expect(await listChanged()).toEqual([])
})

test('a price far from the default is set by force', async () => {
  expect((await cli('price', 'set', 'utils.hash', '0.5', '--force')).stdout).toMatch(/ 0\.001 +0\.5$/m)
})
