import { afterAll, beforeAll, expect, test } from 'vitest'
import { rows } from '../../../sql/db.ts'
import { checkInvariants } from '../../../sql/ledger.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'
import { openOwner } from './owner.ts'

let api: InProcessApi
beforeAll(async () => {
  api = await openInProcessApi()
})
afterAll(async () => {
  expect(await checkInvariants(api.context.db)).toEqual([])
  await api[Symbol.asyncDispose]()
})

test('without lists a screening is refused for free, and on the sample it is never clear', async () => {
  const owner = await openOwner(api)
  const refused = await owner.ask('POST', '/v1/screening/match', { name: 'Zorblatt Quexington' })
  expect(refused).toMatchObject({ status: 503, body: { code: 'SCREENING_LISTS_NOT_LOADED' } })
  expect(refused.body.missing).toEqual(
    expect.arrayContaining(['us_ofac_sdn', 'un_sc', 'eu_fsf', 'uk_fcdo', 'opensanctions']),
  )
  expect(await owner.balance()).toBe(1_000_000n)
  const unknown = await owner.match({ name: 'Perfectly Unknown Person' })
  expect(unknown).toMatchObject({ status: 200, body: { status: 'review', incomplete: true, matches: [] } })
  expect(unknown.body.coverage.sanctions.state).toBe('sample')
  expect(unknown.body.notice).toContain('invented')
  expect(await owner.balance()).toBe(999_000n)
})

test.each([
  ['Quexington, Zorblat', 's-1'],
  ['Z. Quexington', 's-1'],
  ['Zorblatt Quexingtno', 's-1'],
  ['Vladislav Imaginarov', 's-2'],
  ['ВЛАДИСЛАВ ИМАЖИНАРОВ', 's-2'],
  ['Имажинаров Владислав', 's-2'],
  ['Mohamed Abdelrahman Alkhayali', 's-3'],
  ['محمد الخيالي', 's-3'],
  ['Xu Gou Shan', 's-5'],
  ['虛構山', 's-5'],
  ['김 가상', 's-6'],
  ['Fantastopoulos Asimakis', 's-7'],
  ['Ασημάκης Φανταστόπουλος', 's-7'],
  ['Kalpanik Shunyavala', 's-14'],
  ['Nouver Treiding OOO', 'o-1'],
  ['Vymyshlennyj Export', 'o-2'],
  ['Mv Flying Dutchcat', 'v-1'],
  ['Ocean Mirage 8', 'v-3'],
  ['Hayalioglu Celebi', 'p-3'],
  ['Oleksandr Vygadanenko', 'p-7'],
  ['Ingenmand Soren', 'p-10'],
])('%s is found as %s of the sample', async (name, id) => {
  const owner = await openOwner(api)
  const { body } = await owner.match({ name })
  expect(body.matches.map((match: { sourceId: string }) => match.sourceId)).toEqual([id])
  expect(body.matches[0]).toMatchObject({ status: 'review', source: 'sample', entityId: `sample:${id}` })
})

test.each([
  ['Emma Daniels'],
  ['Zorblatt Nullington'],
  ['Imaginary Airlines GmbH'],
  ['Ocean Mirage 9'],
  ['Владислав Путешественников'],
])('%s is nobody of the sample', async name => {
  const owner = await openOwner(api)
  expect((await owner.match({ name })).body.matches).toEqual([])
})

test('a match takes more than a name: a birth, an identifier, or the country of the whole name', async () => {
  const owner = await openOwner(api)
  const statusOf = async (body: object) => {
    const [match] = (await owner.match(body)).body.matches
    return match && [match.sourceId, match.status]
  }
  const name = 'Zorblatt Quexington'
  expect(await statusOf({ name })).toEqual(['s-1', 'review'])
  expect(await statusOf({ name, dob: '1961-04-17' })).toEqual(['s-1', 'match'])
  expect(await statusOf({ name, nationality: ['GB'] })).toEqual(['s-1', 'match'])
  expect(await statusOf({ name, dob: '1999-01-01' })).toBe(undefined)
  expect(await statusOf({ name, dob: '1999-01-01', threshold: 0.5 })).toEqual(['s-1', 'review'])
  const identifiers = [{ type: 'passport', value: 'xq 000001' }]
  expect(await statusOf({ name: 'Zorblatt Q.', identifiers })).toEqual(['s-1', 'match'])
  expect(await statusOf({ name: 'The Baron', threshold: 0.8 })).toEqual(['s-1', 'review'])
  expect(await statusOf({ name: 'The Baron' })).toBe(undefined)
  expect(await statusOf({ name: 'The Baron', threshold: 0.8, weakAliases: false })).toBe(undefined)
})

test('what is asked wrongly is refused for free and says what is wrong', async () => {
  const owner = await openOwner(api)
  const code = async (body: object) => (await owner.match(body)).body.code
  expect(await code({ name: '...' })).toBe('NAME_EMPTY')
  expect(await code({ name: 'A', dob: '1961-02-30' })).toBe('DOB_INVALID')
  expect(await code({ name: 'A', dob: '3000' })).toBe('DOB_INVALID')
  expect(await code({ name: 'A', lists: ['secret'] })).toBe('LIST_UNKNOWN')
  expect(await code({ name: 'A', sources: ['us_secret'] })).toBe('SOURCE_UNKNOWN')
  expect(await code({ name: 'A', lists: ['pep'], sources: ['un_sc'] })).toBe('CONFLICTING_OPTIONS')
  expect(await code({ name: 'A', asOf: 9_999 })).toBe('SCREENING_VERSION_UNKNOWN')
  expect(await code({})).toBe('MISSING_FIELD')
  expect(await code({ name: 'A', subjects: { a: { name: 'A' } } })).toBe('CONFLICTING_OPTIONS')
  for (const beside of [{ dob: '1961' }, { type: 'person' }, { country: ['GB'] }, { excludeIds: ['sample:s-1'] }])
    expect(await code({ subjects: { a: { name: 'A' } }, ...beside })).toBe('CONFLICTING_OPTIONS')
  expect(await code({ name: 'A', lists: ['custom'] })).toBe('LIST_UNKNOWN')
  expect(await owner.balance()).toBe(1_000_000n)
})

test('a batch answers by the keys of the caller, and each of its screenings can be read again by its owner alone', async () => {
  const [owner, other] = [await openOwner(api), await openOwner(api)]
  const { body } = await owner.match({
    subjects: { one: { name: 'Nowhere Trading', referenceId: 'r-1' }, two: { name: '김가상', type: 'person' } },
    lists: ['sanctions'],
  })
  expect(Object.keys(body.results)).toEqual(['one', 'two'])
  const { screeningId, matches } = body.results.one
  expect(matches[0].entity.names).toContainEqual({ name: 'OOO Nouver Treyding', type: 'strong-aka' })
  const path = `/v1/screening/matches/${screeningId}`
  const again = await owner.ask('GET', path)
  expect(again.body).toMatchObject({ screeningId, referenceId: 'r-1', matches, subject: { name: 'Nowhere Trading' } })
  expect((await other.ask('GET', path)).body.code).toBe('NOT_FOUND')
  expect((await owner.ask('GET', '/v1/screening/matches/scr_00000000-0000-7000-8000-000000000000')).status).toBe(404)
})

test('the lists are shown with what they need, and the sample as what it is', async () => {
  const { body } = await api.app.inject('/v1/screening/lists').then(reply => ({ body: reply.json() }))
  const find = (key: string) => body.lists.find(({ source }: { source: string }) => source === key)
  expect(find('eu_fsf')).toMatchObject({ state: 'not-loaded', needs: expect.stringContaining('token') })
  expect(find('sample')).toMatchObject({ state: 'sample', entries: 40 })
})

test('what was dismissed does not count for its subject, until it is undone', async () => {
  const owner = await openOwner(api)
  const asked = { name: 'Zorblatt Quexington', dob: '1961-04-17', referenceId: 'customer-7' }
  const first = (await owner.match(asked)).body
  expect([first.status, first.matches[0].falsePositive]).toEqual(['match', false])
  const path = `/v1/screening/matches/${first.screeningId}/dismissals`
  const dismissal = { entityId: 'sample:s-1', reason: 'Another person of this name.' }
  expect((await owner.ask('POST', path, dismissal)).body).toMatchObject({ subjectKey: 'ref:customer-7', ...dismissal })
  expect((await owner.ask('POST', path, { ...dismissal, entityId: 'sample:s-2' })).status).toBe(404)
  const second = (await owner.match(asked)).body
  expect([second.status, second.matches[0].falsePositive]).toEqual(['review', true])
  expect((await owner.match({ ...asked, referenceId: 'customer-8' })).body.status).toBe('match')
  expect((await owner.ask('GET', '/v1/screening/dismissals')).body.data).toMatchObject([dismissal])
  await rows(api.context.db, "update svc.screening_dismissal set hash = 'of the entry before' where account_id = $1", [
    owner.accountId,
  ])
  expect((await owner.match(asked)).body.status).toBe('match')
  expect((await owner.ask('DELETE', `${path}/sample:s-1`)).body).toEqual({ entityId: 'sample:s-1', removed: true })
  expect((await owner.ask('GET', '/v1/screening/dismissals')).body.data).toEqual([])
  const listed = (await owner.ask('GET', '/v1/screening/matches')).body.data
  expect(listed.map(({ status }: { status: string }) => status)).toEqual(['match', 'match', 'review', 'match'])
})
