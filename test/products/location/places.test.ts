import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rows } from '../../../sql/db.ts'
import { checkInvariants } from '../../../sql/ledger.ts'
import { beginPlaceLoad } from '../../../sql/location/load.ts'
import { countPendingPages } from '../../support/database/pending-pages.ts'
import { freshFolder } from '../../support/machine/folder.ts'
import { openBatonOwner } from '../../support/stack/baton-owner.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'
import { runCli } from '../../support/stack/run-cli.ts'

let api: InProcessApi
let customer: Awaited<ReturnType<typeof openBatonOwner>>
beforeAll(async () => {
  api = await openInProcessApi()
  customer = await openBatonOwner(api)
})
afterAll(async () => {
  expect(await checkInvariants(api.context.db)).toEqual([])
  await api[Symbol.asyncDispose]()
})

const CALLS = {
  geocode: '/v1/location/geocode',
  'reverse-geocode': '/v1/location/reverse-geocode',
  'place-search': '/v1/location/place-search',
}
const post = (call: keyof typeof CALLS, body: object) => customer.call('POST', CALLS[call], body)
const geocode = async (body: object) => (await post('geocode', body)).json()

test.each([
  ['münchen', 'Munich', 'DE'],
  ['MUNCHEN', 'Munich', 'DE'],
  ['Roma, Italy', 'Rome', 'IT'],
  ['Moskau, Russland', 'Moscow', 'RU', 'de'],
  ['東京', 'Tokyo', 'JP'],
  ['القاهرة', 'Cairo', 'EG'],
  ["'s-Gravenhage", 'The Hague', 'NL'],
  ['Sao Paulo, BR', 'São Paulo', 'BR'],
  ['Portland, ME', 'Portland', 'US'],
  ['Springfield, Illinois, USA', 'Springfield', 'US'],
  ['Philadelfia', 'Philadelphia', 'US'],
  ['350 Fifth Avenue, New York, NY 10118', 'New York', 'US'],
  ['Singapore', 'Singapore', 'SG'],
])('%s is found as %s', async (query, name, countryCode, language = 'en') => {
  const { results } = await geocode({ query, limit: 1, language })
  expect(results).toMatchObject([{ name, components: { countryCode } }])
})

test('a region, a circle, a box, a kind and a confidence narrow the results', async () => {
  const springfields = (await geocode({ query: 'Springfield' })).results
  expect(springfields.map((place: { components: object }) => place.components)).toMatchObject([
    { regionCode: 'MO' },
    { regionCode: 'MA' },
    { regionCode: 'IL' },
  ])
  const [nearest] = (await geocode({ query: 'Springfield', near: { lat: 42, lng: -72.5, radiusKm: 30 } })).results
  expect(nearest).toMatchObject({ components: { region: 'Massachusetts' }, precision: 'city' })
  expect(nearest.distanceM).toBeGreaterThan(10_000)
  expect(nearest.distanceM).toBeLessThan(16_000)
  expect((await geocode({ query: 'Springfield', bbox: [-95, 36, -92, 38] })).results).toHaveLength(1)
  expect((await geocode({ query: 'Suva', bbox: [170, -20, -170, -10] })).results).toHaveLength(1)
  expect((await geocode({ query: 'Berlin', countries: ['fr'] })).results).toEqual([])
  expect((await geocode({ query: 'Berlin, Germany', countries: ['FR'] })).results).toEqual([])
  expect((await geocode({ query: 'Berlin', types: ['country'] })).results).toEqual([])
  expect((await geocode({ query: 'Vaduz', minConfidence: 0.95 })).results).toEqual([])
})

test('an address without streets in the data gives its town and says so; nonsense gives nothing', async () => {
  const address = { street: 'Unter den Linden', houseNumber: '1', city: 'Berlin', country: 'Deutschland' }
  const { results, warnings, coverage } = await geocode({ address, language: 'de' })
  expect(results[0]).toMatchObject({ formatted: 'Berlin, Deutschland', lat: 52.52 })
  expect(warnings).toMatchObject([{ code: 'PRECISION_LIMITED' }])
  expect(coverage).toBe('sample')
  expect(await geocode({ query: 'Germany' })).toMatchObject({ results: [], coverage: 'sample' })
  expect((await geocode({ query: 'xqzxqzxqz' })).results).toEqual([])
  expect((await geocode({ address: { city: 'Berlin', country: 'Atlantis' } })).code).toBe('INVALID_PARAM')
  expect((await geocode({ address: { street: 'Broadway' } })).code).toBe('MISSING_FIELD')
  expect((await geocode({ query: '???' })).code).toBe('INVALID_PARAM')
  expect((await geocode({ query: 'a', queries: ['b'] })).code).toBe('CONFLICTING_OPTIONS')
  expect((await geocode({})).code).toBe('MISSING_FIELD')
})

test('each query is paid for, and the answers keep their order', async () => {
  const [before] = await customer.money()
  const answer = await post('geocode', { queries: ['Lima', 'nowhere at all', 'Oslo'], limit: 1 })
  expect(answer.headers['x-service-charged-micros']).toBe('6000')
  const names = answer.json().answers.map(({ results }: { results: { name: string }[] }) => results[0]?.name)
  expect(names).toEqual(['Lima', undefined, 'Oslo'])
  expect(await customer.money()).toEqual([before - 6_000n, 0n])
})

test('a point gives its nearest place; at sea there is none', async () => {
  const near = (await post('reverse-geocode', { lat: 48.85, lng: 2.35 })).json()
  expect(near.results).toMatchObject([{ name: 'Paris', components: { country: 'France' } }])
  const points = [
    { lat: 0, lng: -30 },
    { lat: -18.1, lng: -179.9 },
    { lat: -18.1, lng: 178.5 },
  ]
  const many = await post('reverse-geocode', { points, radiusM: 50_000, language: 'fr' })
  expect(many.json().answers.map(({ results }: { results: object[] }) => results.length)).toEqual([0, 0, 1])
  expect(many.headers['x-service-charged-micros']).toBe('6000')
  expect((await post('reverse-geocode', { lat: 90, lng: 0 })).json().results).toEqual([])
  expect((await post('reverse-geocode', { lat: 1 })).json()).toMatchObject({ code: 'MISSING_FIELD', field: 'lng' })
  expect((await post('reverse-geocode', { lat: 91, lng: 0 })).json().code).toBe('INVALID_PARAM')
  expect((await post('reverse-geocode', {})).json().code).toBe('MISSING_FIELD')
})

test('places are listed by category and name, in a circle or a box', async () => {
  const around = { near: { lat: 50.9, lng: 4.4 }, radiusM: 50_000 }
  const { places } = (await post('place-search', { ...around, categories: ['city'], sort: 'distance' })).json()
  expect(places.map(({ name }: { name: string }) => name)).toEqual(['Brussels', 'Antwerp'])
  const boxed = (await post('place-search', { bbox: [-10, 35, 5, 44], query: 'cel' })).json()
  expect(boxed.places).toMatchObject([{ name: 'Barcelona', categories: ['city'] }])
  const failures = [
    { ...around, categories: ['dragon'] },
    { ...around },
    { categories: ['city'] },
    { bbox: [0, 0, 1, 1], categories: ['city'], sort: 'distance' },
  ]
  const codes = await Promise.all(failures.map(async body => (await post('place-search', body)).json().code))
  expect(codes).toEqual(['CATEGORY_UNKNOWN', 'MISSING_FIELD', 'MISSING_FIELD', 'CONFLICTING_OPTIONS'])
})

test('a dump of GeoNames replaces the sample at once, and a load that broke off goes on', async () => {
  await using folder = await freshFolder()
  await using other = await openInProcessApi()
  const reader = await openBatonOwner(other)
  const ask = async (query: string) => (await reader.call('POST', '/v1/location/geocode', { query, limit: 1 })).json()
  const lines = [
    placeLine('1', 'Ribnica', 'Ribnitsa,Рибница', 45.73, 14.73, 'P', 'PPL', 'SI', '80', '3480'),
    placeLine('2', 'Slovenia', 'Slovenija', 46, 15, 'A', 'PCLI', 'SI', '00', '2000000'),
    placeLine('3', 'Broken', '', 146, 15, 'P', 'PPL', 'SI', '', '1'),
    'not a line of a dump',
  ]
  const postcode = ['SI', '1310', 'Ribnica', 'Ribnica', '80', '', '', '', '', '45.74', '14.73', '6'].join('\t')
  await writeFile(join(folder.path, 'cities.txt'), lines.join('\n'))
  await writeFile(join(folder.path, 'codes.txt'), `${postcode}\n`)
  await writeFile(join(folder.path, 'regions.txt'), 'SI.80\tRibnica Region\tRibnica Region\t9\n')
  const date = '2026-10-01'
  const facts = { source: 'geonames', attribution: 'of the load that broke off', date }
  expect((await beginPlaceLoad(other.context.db, facts)).progress).toEqual({})
  expect((await ask('Ljubljana')).coverage).toBe('sample')

  const { databaseUrl, secret } = other.context.config
  const file = (name: string) => join(folder.path, name)
  const flags = ['--regions', file('regions.txt'), '--postcodes', file('codes.txt'), '--date', date, '--json']
  const env = { DATABASE_URL: databaseUrl!, SECRET: secret }
  const { stdout } = await runCli(env, 'places', 'load', file('cities.txt'), ...flags)
  expect(JSON.parse(stdout)).toEqual({ places: 3, dataDate: date })
  const [{ data_id: current } = {}] = await rows<{ data_id: number }>(
    other.context.db,
    'select data_id from svc.place_current',
  )
  expect(await countPendingPages(other.context.db, [`place_name_${current}`])).toBe(0)
  const found = await ask('Рибница')
  expect(found).toMatchObject({ coverage: 'full', dataDate: date, attribution: expect.stringContaining('broke off') })
  expect(found.results).toMatchObject([{ placeId: 'geonames:1', components: { region: 'Ribnica Region' } }])
  expect((await ask('1310 Ribnica')).results).toMatchObject([{ precision: 'postcode' }])
  expect((await ask('1310')).results).toMatchObject([{ precision: 'postcode', components: { district: 'Ribnica' } }])
  expect((await ask('Slovenija')).results).toMatchObject([{ precision: 'country' }])
  expect((await ask('Ljubljana')).results).toEqual([])
})

function placeLine(
  ...[id, name, others, lat, lng, letter, feature, country, region, population]: [
    ...[id: string, name: string, others: string, lat: number, lng: number],
    ...[letter: string, feature: string, country: string, region: string, population: string],
  ]
): string {
  const columns = [id, name, name, others, lat, lng, letter, feature, country, '', region, '', '', '', population]
  return [...columns, '', '', 'Europe/Ljubljana', '2026-01-01'].join('\t')
}
