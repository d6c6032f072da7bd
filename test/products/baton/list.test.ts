import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBatonOwner } from '../../support/stack/baton-owner.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'

let api: InProcessApi
beforeAll(async () => {
  api = await openInProcessApi()
})
afterAll(() => api[Symbol.asyncDispose]())

test('an owner lists the batons of the account alone, newest first, by state and page', async () => {
  const owner = await openBatonOwner(api, 10_000_000n)
  const other = await openBatonOwner(api, 10_000_000n)
  const make = (name: string) => owner.create({ preset: 'scratchpad', tier: 'femto', name, content: 'four' })
  const first = await make('first')
  const second = await make('second')
  const third = await make('third')
  expect((await owner.call('DELETE', `/v1/baton/${second.id}`)).statusCode).toBeLessThan(300)
  const list = async (query = '') => (await owner.call('GET', `/v1/baton${query}`)).json()
  const all = await list()
  expect(all).toMatchObject({
    data: [
      { id: third.id, name: 'third', preset: 'scratchpad', tier: 'femto', state: 'active', storedBytes: '4' },
      { id: second.id, state: 'deleted' },
      { id: first.id, state: 'active' },
    ],
    hasMore: false,
  })
  const names = ({ data }: { data: { name: string }[] }) => data.map(({ name }) => name)
  expect(names(await list('?state=active'))).toEqual(['third', 'first'])
  expect(names(await list('?state=deleted'))).toEqual(['second'])
  expect(await list('?limit=1&offset=1')).toEqual({ data: [all.data[1]], hasMore: true })
  expect((await owner.call('GET', '/v1/baton?state=gone')).json()).toMatchObject({ code: 'INVALID_PARAM' })
  expect((await other.call('GET', '/v1/baton')).json()).toEqual({ data: [], hasMore: false })
})
