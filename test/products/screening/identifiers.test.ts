import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDb, rows, value } from '../../../sql/db.ts'
import { createTables, migrate } from '../../../sql/migrate.ts'
import { writeSetting } from '../../../sql/setting.ts'
import type { Identifier, ListedEntity } from '../../../tasks/products/screening/entity.ts'
import { listIdentifierKeys } from '../../../tasks/products/screening/matching/identifiers.ts'
import { SAMPLE } from '../../../tasks/products/screening/sample/entities.ts'
import type { OutsideFiles } from '../../../tasks/products/step-deps.ts'
import { emptyDatabase } from '../../support/database/fresh.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'
import { runDueSteps } from '../../support/stack/run-steps.ts'
import { OFAC_FILES } from './list-files.ts'
import { openOwner } from './owner.ts'

let api: InProcessApi
beforeAll(async () => {
  api = await openInProcessApi({ OUTBOUND: 'public' })
  await writeSetting(api.context.db, 'screening.lists', ['us_ofac_sdn'])
  await api.context.settings.refresh()
})
afterAll(() => api[Symbol.asyncDispose]())

async function publish(files: Record<string, string>): Promise<void> {
  const outside: OutsideFiles = {
    open: async ({ name }) => ({ chunks: [Buffer.from(files[name]!)] as never, etag: undefined }),
  }
  await rows(api.context.db, "select screening.queue_refresh('us_ofac_sdn', 0)")
  await runDueSteps({ ...api.context, outside })
}

/** The first identifier of this type that an entry of the sample has. */
function ofSample(id: string, type: Identifier['type']): Pick<Identifier, 'type' | 'value'> {
  const found = SAMPLE.find(({ sourceId }) => sourceId === id)!.identifiers.find(one => one.type === type)!
  return { type, value: found.value }
}

const NAME = 'John Doe'
const PASSPORT = { type: 'passport', value: 'xq-000001' }

test.each([
  [{ type: 'passport', value: 'XQ000001', country: 'GB' }, 's-1'],
  [{ type: 'passport', value: 'xq 000 001' }, 's-1'],
  [{ type: 'other', value: 'XQ000001' }, 's-1'],
  [{ type: 'national-id', value: '00011112222' }, 's-3'],
  [{ type: 'registration', value: 'nwt000001' }, 'o-1'],
  [{ type: 'tax', value: '000000000001', country: 'RU' }, 'o-1'],
  [{ type: 'lei', value: '0000SAMPLE00000INVENT' }, 'o-3'],
  [ofSample('o-4', 'swift'), 'o-4'],
  [ofSample('o-8', 'crypto'), 'o-8'],
  [{ type: 'crypto', value: '0x00000000000000000000000000000000005A3B1E' }, 'o-8'],
  [{ type: 'imo', value: '0000002' }, 'v-2'],
  [{ type: 'mmsi', value: '000000001' }, 'v-1'],
])('%j is found as %s of the sample under any name', async (identifier, id) => {
  const owner = await openOwner(api)
  const { body } = await owner.match({ name: NAME, identifiers: [identifier] })
  expect(body.matches).toMatchObject([{ sourceId: id, score: 1, status: 'match' }])
  expect(body.matches[0].explanation).toContainEqual(expect.objectContaining({ feature: 'identifier', score: 1 }))
})

test.each([
  [{ type: 'passport', value: 'XQ000001', country: 'FR' }],
  [{ type: 'tax', value: 'XQ000001' }],
  [{ type: 'crypto', value: '1samplewalletdoesnotexistxxxxxxx' }],
  [{ type: 'passport', value: 'XQ0000' }],
  [{ type: 'registration', value: 'EP-ZZZ' }],
])('%j finds nothing under another name', async identifier => {
  const owner = await openOwner(api)
  expect((await owner.match({ name: NAME, identifiers: [identifier] })).body.matches).toEqual([])
})

test('a short identifier is looked for with its country alone, and a tiny or a huge one not at all', () => {
  const keysOf = (value: string, country?: string) =>
    listIdentifierKeys([{ type: 'passport', value, ...(country && { country }) }])
  expect(keysOf('A-0001', 'IQ')).toEqual(['IQ A0001'])
  expect(keysOf('A-0001')).toEqual([])
  expect(keysOf('A00001', 'IQ')).toEqual(['A00001'])
  expect(keysOf('A-01', 'IQ')).toEqual([])
  expect(keysOf('9'.repeat(101))).toEqual([])
})

test('calls, batches and monitors find an entry of a loaded list by its passport', async () => {
  const owner = await openOwner(api)
  const asked = { sources: ['us_ofac_sdn'], lists: ['sanctions'] }
  const passport = [{ ...PASSPORT, country: 'RU' }]
  await publish({ ...OFAC_FILES, 'sdn.csv': OFAC_FILES['sdn.csv']!.replace('XQ000001', 'XQ999999') })
  const one = () => owner.screen({ ...asked, name: NAME, identifiers: passport })
  expect((await one()).body).toMatchObject({ status: 'clear', matches: [] })
  const monitor = (await owner.ask('POST', '/v1/screening/monitors', { ...asked, name: NAME, identifiers: passport }))
    .body
  expect(monitor).toMatchObject({ status: 'clear', matches: [] })

  await publish(OFAC_FILES)
  const found = [{ entityId: 'us_ofac_sdn:1001', score: 1, status: 'match' }]
  expect((await one()).body).toMatchObject({ status: 'match', matches: found })
  const batch = await owner.screen({
    ...asked,
    subjects: { a: { name: NAME, identifiers: passport }, b: { name: NAME } },
  })
  expect(batch.body.results).toMatchObject({ a: { matches: found }, b: { status: 'clear', matches: [] } })
  const read = () => owner.ask('GET', `/v1/screening/monitors/${monitor.id}`)
  expect((await read()).body).toMatchObject({ status: 'match', matches: found })

  await publish({ ...OFAC_FILES, 'sdn.csv': OFAC_FILES['sdn.csv']!.replace('XQ000001', 'XQ999999') })
  expect((await one()).body).toMatchObject({ status: 'clear', matches: [] })
  expect((await read()).body).toMatchObject({ status: 'clear', matches: [] })
})

test('entries that were stored before the migrations are found and counted as new ones are', async () => {
  await using database = await emptyDatabase()
  await createTables(database.url, await listMigrationsBefore('0610'))
  const db = openDb(database.url, { name: 'test' })
  const odd: Identifier[] = [
    { type: 'passport', value: 'A-0001', country: 'IQ' },
    { type: 'tax', value: '12-34' },
    { type: 'crypto', value: ' 0xABCDEF01 ' },
    { type: 'other', value: 'né 77 1234' },
    { type: 'passport', value: 'x'.repeat(101) },
  ]
  const entities = [...SAMPLE, { ...SAMPLE[0]!, sourceId: 'odd', identifiers: odd }]
  await rows(db, "insert into svc.screening_list (key, title, families, current_version) values ('un_sc', '', '{}', 1)")
  await rows(db, "insert into svc.screening_version (list_id, index_version, state) values (1, 2, 'active')")
  await rows(
    db,
    `insert into svc.screening_entity (list_id, source_id, first_version, hash, families, words, names, body)
     select 1, b ->> 'sourceId', 1, '', '{}', '{}', '[]', b from jsonb_array_elements($1) b`,
    [JSON.stringify(entities)],
  )
  await migrate(database.url)
  const stored = await rows<{ id: string; keys: string[] }>(
    db,
    'select source_id as id, identifiers as keys from svc.screening_entity',
  )
  const keysOf = new Map(stored.map(({ id, keys }) => [id, keys.toSorted()]))
  for (const { sourceId, identifiers } of entities)
    expect([sourceId, keysOf.get(sourceId)]).toEqual([sourceId, listIdentifierKeys(identifiers).toSorted()])
  const count = (read: (entity: ListedEntity) => number) => entities.reduce((sum, entity) => sum + read(entity), 0)
  expect(await rows(db, 'select aliases, identifiers from svc.screening_version')).toEqual([
    { aliases: count(({ names }) => names.length - 1), identifiers: count(({ identifiers }) => identifiers.length) },
  ])
  expect(await value(db, "select screening.find_identified('{1}', '{1}', '{XQ000001}', 10)")).toHaveLength(1)
  expect(await value(db, "select screening.find_identified('{2}', '{1}', '{XQ000001}', 10)")).toEqual([])
  await db.end()
})

async function listMigrationsBefore(number: string): Promise<string[]> {
  const { db } = api.context
  const found = await rows<{ name: string }>(db, 'select name from public.coinop_migration')
  return found.map(({ name }) => name).filter(name => name < number)
}
