import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBatonOwner } from '../../support/stack/baton-owner.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'
import { runDueSteps } from '../../support/stack/run-steps.ts'
import { createItems, createValuesFrom } from '../../support/vectors/items.ts'
import { type FakePinecone, openFakePinecone } from '../../support/vectors/pinecone.ts'
import { type FakeQdrant, openFakeQdrant } from '../../support/vectors/qdrant.ts'

type Body = Record<string, unknown>

const ITEMS = createItems(createValuesFrom(5))
const open = { qdrant: openFakeQdrant, pinecone: openFakePinecone }

describe.each(['qdrant', 'pinecone'] as const)('with an index in %s', store => {
  let api: InProcessApi
  let owner: Awaited<ReturnType<typeof openBatonOwner>>
  let server: FakeQdrant | FakePinecone

  beforeAll(async () => {
    server = await open[store]()
    api = await openInProcessApi({
      ...{ VECTOR_INDEX: store, VECTOR_INDEX_URL: server.url, VECTOR_INDEX_KEY: 'a key', VECTOR_INDEX_FROM: '40' },
    })
    owner = await openBatonOwner(api, 50_000_000n)
  })
  afterAll(async () => {
    await api[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
  })

  const create = async (): Promise<string> => (await owner.create({ preset: 'vector', tier: 'nano' })).id
  async function post(id: string, path: string, body: Body) {
    const answer = await owner.call('POST', `/v1/baton/${id}/vectors${path}`, body)
    if (answer.statusCode !== 200) throw new Error(answer.body)
    return answer.json()
  }
  const write = (id: string, vectors: Body[]) => post(id, '', { vectors })
  async function query(id: string, body: Body): Promise<{ ids: string[]; exact: boolean }> {
    const { matches, exact } = (await post(id, '/query', body)) as { matches: { id: string }[]; exact: boolean }
    return { ids: matches.map(({ id }) => id), exact }
  }
  const runSteps = () => runDueSteps(api.context as never)

  test('a query sees what is indexed while the store answers it', async () => {
    const id = await create()
    await write(id, ITEMS)
    await runSteps()
    const far = [9, 9, 9, 9, 9, 9, 9, 9]
    await write(id, [{ id: 'new', values: far }])
    server.afterSearch = runSteps
    const added = await query(id, { vector: far, topK: 1 })
    await post(id, '/update', { id: 'v5', metadata: { color: 'new' } })
    server.afterSearch = runSteps
    const filter = { color: { $in: ['new', 'red'] } }
    const changed = await query(id, { vector: ITEMS[5]!.values, topK: 1, filter })
    expect([added, changed]).toMatchObject([
      { ids: ['new'], exact: false },
      { ids: ['v5'], exact: false },
    ])
  })

  test('a step leaves no metadata in the index that are older than those of another', async () => {
    const id = await create()
    await write(id, ITEMS)
    await runSteps()
    const hasStarted = Promise.withResolvers<void>()
    const isOvertaken = Promise.withResolvers<void>()
    let writes = 0
    server.before = call => {
      if (!/points$|upsert$/.test(call) || writes++ > 0) return undefined
      hasStarted.resolve()
      return isOvertaken.promise
    }
    await post(id, '/update', { id: 'v5', metadata: { color: 'older' } })
    const steps = runSteps()
    await hasStarted.promise
    await post(id, '/update', { id: 'v5', metadata: { color: 'newer' } })
    await runSteps()
    isOvertaken.resolve()
    await steps
    await runSteps()
    delete server.before
    const filter = { color: { $in: ['newer', 'red'] } }
    const found = await query(id, { vector: ITEMS[5]!.values, topK: 1, filter })
    expect([found, writes]).toMatchObject([{ ids: ['v5'], exact: false }, 2])
  })
})
