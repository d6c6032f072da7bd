import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { rows } from '../../../sql/db.ts'
import { eventually } from '../../support/machine/eventually.ts'
import { openDefaultStack } from '../../support/stack/default.ts'
import type { Customer, Stack } from '../../support/stack/start.ts'

let stack: Stack
let customer: Customer
beforeAll(async () => {
  stack = await openDefaultStack()
})
afterAll(() => stack[Symbol.asyncDispose]())
beforeEach(async () => {
  customer = await stack.customer(1_000_000n)
})

const TABLE = `number;Given;Surname;also known as;born;passport no;from;kind
1;Wilhelmina;Unwanted;Billie Unwanted|Минa Нежелательная;17/04/1961;XQ 77001;Germany;person
2;;Unwelcome Trading GmbH;;;;DE;company
3;Otto;Nirgendwo;;sometime;;Atlantis;person
4;;;;;;;
`
const COLUMNS = {
  ...{ id: 'number', name: ['Given', 'Surname'], aliases: 'also known as', dob: 'born', passport: 'passport no' },
  ...{ country: 'from', type: 'kind' },
}
const UPLOAD = { title: 'Banned', file: { text: TABLE }, columns: COLUMNS, separator: '|' }

const upload = (body: object, by = customer) => by.post('/v1/screening/load-list', body)
const screen = (body: object, by = customer) => by.post('/v1/screening/match', body)

async function remove(source: string, by = customer) {
  return by.request(`/v1/screening/lists/${source}`, { method: 'DELETE' })
}

test('what is shown is limited, and what it comes to is decided by all that is found', async () => {
  const table = (rows: string) => ({ title: 'Twins', file: { text: `id,name,dob\n${rows}` } })
  const { source } = (await upload(table('1,Otto Nirgendwo,\n2,Otto Nirgendwo,1961\n'))).body
  const asked = { name: 'Otto Nirgendwo', sources: [source], limit: 1 }
  const first = (await screen(asked)).body
  expect([first.status, first.matches.length]).toEqual(['review', 1])
  const watched = (await customer.post('/v1/screening/monitors', asked)).body
  const dismissal = { entityId: first.matches[0].entityId, reason: 'Another one.' }
  await customer.post(`/v1/screening/matches/${first.screeningId}/dismissals`, dismissal)
  const second = (await screen(asked)).body
  expect(second).toMatchObject({ status: 'review', matches: [{ entityId: `${source}:2`, falsePositive: false }] })
  const born = (await screen({ ...asked, dob: '1961-04-17', threshold: 0.7 })).body
  expect(born).toMatchObject({ status: 'match', matches: [{ entityId: `${source}:2`, status: 'match' }] })
  await upload({ ...table('1,Otto Nirgendwo,\n2,Otto Nirgendwo,1961\n3,Otto Nirgendwo,1999\n'), source })
  const read = async () => (await customer.get(`/v1/screening/monitors/${watched.id}`)).body
  await eventually('the monitor has changed', async () => (await read()).changedAt !== null)
  expect(await read()).toMatchObject({ status: 'review', matches: [{ falsePositive: false }] })
})

test('a search that leaves own lists out says so, and how to search them', async () => {
  const { source } = (await upload({ title: 'Left out', file: { text: 'name\nZorblat Leftout\n' } })).body
  expect((await screen({ name: 'Zorblat Leftout' })).body).toMatchObject({
    ...{ code: 'SCREENING_LISTS_NOT_LOADED', ofYours: [source], toSearchYours: { lists: ['custom'] } },
  })
  const sample = (await screen({ name: 'Zorblat Leftout', allowSample: true })).body
  expect(sample.notice).toContain('Your own lists were not searched: add custom to lists.')
  const found = (await screen({ name: 'Zorblat Leftout', lists: ['custom'] })).body
  expect(found.matches).toHaveLength(1)
  expect(found.notice).not.toContain('not searched')
})

test('a table of names becomes a list that its account alone can search, in any spelling', async () => {
  const other = await stack.customer(1_000_000n)
  const { status, body } = await upload(UPLOAD)
  expect([status, body]).toMatchObject([200, { title: 'Banned', entries: 3, unchanged: false }])
  expect(body.source).toMatch(/^custom:[0-9a-f-]{36}$/)
  expect(body.warnings.map(({ message }: { message: string }) => message)).toEqual([
    'Dates that cannot be read: 1, in line 4.',
    'Countries that are not known: 1, in line 4.',
    'Rows without a name that can be compared: 1, in line 5.',
  ])
  const before = (await customer.money()).balance
  const found = await screen({ name: 'UNWANTED, Wilhelmina', dob: '1961-04-17', sources: [body.source] })
  expect(found.body).toMatchObject({
    ...{ status: 'match', incomplete: false },
    matches: [{ entityId: `${body.source}:1`, list: 'custom', type: 'person', caption: 'Wilhelmina Unwanted' }],
    coverage: { custom: { state: 'full', missing: [], sources: [{ title: 'Banned', publisher: 'you', entries: 3 }] } },
  })
  expect(before - (await customer.money()).balance).toBe(5_000n)
  const nameOf = async (asked: object) => (await screen({ lists: ['custom'], ...asked })).body.matches[0]?.entityId
  expect(await nameOf({ name: 'Mina Nezhelatelnaja' })).toBe(`${body.source}:1`)
  expect(await nameOf({ name: 'Unwelcome Trading LLC', type: 'organization' })).toBe(`${body.source}:2`)
  expect(await nameOf({ name: 'Someone Quite Else', identifiers: [{ type: 'passport', value: 'xq77001' }] })).toBe(
    `${body.source}:1`,
  )
  expect((await screen({ name: 'Perfectly Unknown', lists: ['custom'] })).body.status).toBe('clear')

  for (const asked of [{ sources: [body.source] }, { lists: ['custom'] }]) {
    const foreign = await screen({ name: 'Wilhelmina Unwanted', ...asked }, other)
    expect(foreign.body.code).toBe('sources' in asked ? 'SOURCE_UNKNOWN' : 'LIST_UNKNOWN')
    expect(JSON.stringify(foreign.body)).not.toContain(asked.sources ? `"available":["${body.source}` : 'Unwanted')
  }
  expect((await screen({ name: 'Wilhelmina Unwanted', allowSample: true }, other)).body.matches).toEqual([])
  expect((await remove(body.source, other)).status).toBe(404)
  expect((await upload({ ...UPLOAD, source: body.source }, other)).body.code).toBe('NOT_FOUND')
  const listed = async (by: Customer) =>
    (await by.get('/v1/screening/lists')).body.lists.filter(
      ({ publisher }: { publisher: string }) => publisher === 'you',
    )
  expect(await listed(other)).toEqual([])
  expect(await listed(customer)).toMatchObject([
    { source: body.source, lists: ['custom'], state: 'loaded', entries: 3 },
  ])
})

test('a birth whose day and month may be exchanged is read as the other births of the list', async () => {
  const load = async (last: string) => {
    const text = `name,born\nOdd Fellow,04/05/1961\nEven Fellow,${last}\n`
    const { body } = await upload({ title: 'Births', file: { text }, columns: { name: 'name', dob: 'born' } })
    await remove(body.source)
    return (body.warnings ?? []).map(({ message }: { message: string }) => message)
  }
  expect(await load('04/18/1961')).toEqual([])
  expect(await load('1961-04-18')).toEqual([
    'Dates whose day and month may be exchanged, of which only the year is compared: 1, in line 2.',
  ])
})

test('a new version takes its place at once, and who is watched is screened against it', async () => {
  const { body: first } = await upload(UPLOAD)
  const { source } = first
  const asked = { name: 'Ida Neuling', sources: [source] }
  const monitor = (await customer.post('/v1/screening/monitors', asked)).body
  expect(monitor).toMatchObject({ status: 'clear', matches: [] })
  const again = await upload({ ...UPLOAD, source })
  expect(again.body).toMatchObject({ source, version: first.version, unchanged: true })
  const rowsOf = [
    { id: 1, name: 'Ida Neuling', aliases: ['I. N.', 'Idchen'] },
    { id: 'b', name: '王小波', dob: '1980' },
  ]
  const second = await upload({ title: 'Banned 2', file: { rows: rowsOf }, source })
  expect(second.body).toMatchObject({ source, entries: 2, unchanged: false })
  expect(second.body.version).toBeGreaterThan(first.version)
  expect((await screen({ name: 'Wang Xiaobo', sources: [source] })).body.matches).toMatchObject([{ sourceId: 'b' }])
  expect((await screen({ name: 'Wilhelmina Unwanted', sources: [source] })).body.matches).toEqual([])
  const past = await screen({ name: 'Wilhelmina Unwanted', sources: [source], asOf: first.version })
  expect(past.body.matches).toMatchObject([{ sourceId: '1' }])
  const readMonitor = async () => (await customer.get(`/v1/screening/monitors/${monitor.id}`)).body
  await eventually('the monitor has changed', async () => (await readMonitor()).status === 'review')
  expect((await readMonitor()).matches).toMatchObject([{ entityId: `${source}:1` }])
  expect((await remove(source)).body).toMatchObject({ code: 'LIST_IN_USE', monitors: 1 })
  await customer.request(`/v1/screening/monitors/${monitor.id}`, { method: 'DELETE' })
  expect((await remove(source)).body).toEqual({ source, removed: true })
  expect((await screen(asked)).body.code).toBe('SOURCE_UNKNOWN')
  const left = await rows(stack.db, 'select from svc.screening_word where list_id is not null and word = $1', [
    'neuling',
  ])
  expect(left).toEqual([])
})

test('what cannot be a list is refused for free, and leaves the last version', async () => {
  const { body: kept } = await upload(UPLOAD)
  const before = (await customer.money()).balance
  const doubled = 'id,name\n7,Ada Eins\n7,Ada Zwei\n'
  const many = `name\n${Array.from({ length: 20_001 }, (_, at) => `Name${at}`).join('\n')}`
  for (const [body, code] of [
    [{ file: { text: 'first,last\nA,B\n' } }, 'COLUMN_NOT_FOUND'],
    [{ file: { text: TABLE }, columns: { ...COLUMNS, dob: 'birth' } }, 'COLUMN_NOT_FOUND'],
    [{ file: { text: doubled } }, 'DUPLICATE_KEY'],
    [{ file: { text: 'name\n...\n' } }, 'INPUT_EMPTY'],
    [{ file: { text: '[{"name":"Half' } }, 'JSON_PARSE_FAILED'],
    [{ file: { text: many } }, 'TOO_MANY_ROWS'],
    [{ file: { text: `id,name\n${'x'.repeat(200)},Ada\n` } }, 'INVALID_PARAM'],
    [{ columns: { nam: 'name' } }, 'UNKNOWN_FIELD'],
    [{ source: 'custom:00000000-0000-4000-8000-000000000000' }, 'NOT_FOUND'],
  ] as const) {
    const answer = await upload({ title: 'Bad', file: { text: 'name\nAda\n' }, source: kept.source, ...body })
    expect([code, answer.body.code]).toEqual([code, code])
  }
  expect((await customer.money()).balance).toBe(before)
  expect((await screen({ name: 'Otto Nirgendwo', sources: [kept.source] })).body.matches).toMatchObject([
    { sourceId: '3' },
  ])
})
