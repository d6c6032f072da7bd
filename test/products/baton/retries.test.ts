import { afterAll, beforeAll, expect, test } from 'vitest'
import { openListener, rows } from '../../../sql/db.ts'
import { checkInvariants } from '../../../sql/ledger.ts'
import { eventually } from '../../support/machine/eventually.ts'
import { openBatonOwner } from '../../support/stack/baton-owner.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'

let api: InProcessApi
let owner: Awaited<ReturnType<typeof openBatonOwner>>
beforeAll(async () => {
  api = await openInProcessApi({ WEBHOOK_NETWORKS: '127.0.0.0/8' })
  owner = await openBatonOwner(api, 10_000_000n)
})
afterAll(async () => {
  expect(await checkInvariants(api.context.db)).toEqual([])
  await api[Symbol.asyncDispose]()
})

const key = (text: string) => ({ 'idempotency-key': text })
const quotasOf = async (id: string) => (await owner.call('GET', `/v1/baton/${id}/meta`)).json().quotas
const SHAPE = { sizeBytes: 200_000, durationSeconds: 3_600, maxEgressBytes: 10_000_000 }
const LONG = 'x'.repeat(20_000)

test('tokens and secrets of a new baton are in its answer and in a repeat of it, and in no row', async () => {
  const body = {
    ...{ preset: 'pass', tier: 'femto', content: 'secret' },
    eventTriggers: [{ url: 'http://127.0.0.1:9/hook', events: ['token.used'] }],
  }
  const first = await owner.call('POST', '/v1/baton', body, key('with-secrets'))
  const second = await owner.call('POST', '/v1/baton', body, key('with-secrets'))
  expect(second.headers['idempotency-replayed']).toBe('true')
  expect(second.json()).toEqual(first.json())
  const { tokens, eventTriggers } = first.json()
  const secrets = [tokens[0].id.slice(4), eventTriggers[0].secret.slice(6)]
  const job = await owner.call('GET', `/v1/jobs/${String(first.headers['x-service-job-id'])}`)
  expect(job.json().result).toMatchObject({ tokens: [{ type: 'read' }], eventTriggers: [{ id: eventTriggers[0].id }] })
  const tables = ['job', 'baton', 'baton_token', 'baton_log', 'webhook_endpoint', 'idempotency']
  const stored = await Promise.all(tables.map(table => rows(api.context.db, `select t::text from svc.${table} t`)))
  for (const secret of secrets) expect(job.body + JSON.stringify(stored)).not.toContain(secret)
  const { data } = (await owner.call('GET', `/v1/baton/${first.json().id}/tokens`)).json()
  expect(data[0]).toMatchObject({ id: tokens[0].id, writer: tokens[0].writer, readsAllowed: 1 })
})

test('a dry run is answered with the price, and creates nothing', async () => {
  const answer = await owner.call('POST', '/v1/baton', { preset: 'drop', tier: 'femto', dryRun: true })
  expect([answer.statusCode, answer.json()]).toMatchObject([200, { quote: { unit: expect.any(String) } }])
})

test('a write that is repeated under its key is made once, also when the last write is used up', async () => {
  const customShape = { ...SHAPE, writesAllowed: 2 }
  const { id, tokens } = await owner.create({ preset: 'scratchpad', customShape, tokens: [{ type: 'write' }] })
  const write = (content: string, name: string, by = id) =>
    owner.call('POST', `/v1/baton/${by}`, { content }, key(name))
  const answers = await Promise.all([1, 2, 3, 4].map(() => write('one', 'a')))
  expect(answers.map(({ statusCode, json }) => [statusCode, json().entry.seq])).toEqual(Array(4).fill([201, 1]))
  expect(answers.filter(({ headers }) => headers['idempotency-replayed'] === 'true')).toHaveLength(3)
  expect([(await write('two', 'a')).statusCode, (await write('two', 'a')).json().code]).toEqual([
    409,
    'IDEMPOTENCY_CONFLICT',
  ])
  expect((await write('two', 'a', tokens[0].id)).json().entry.seq).toBe(2)
  expect((await write('two', 'a', tokens[0].id)).json()).toMatchObject({ entry: { seq: 2 }, quotas: { writesLeft: 0 } })
  expect([(await write('three', 'b')).json().code, (await write('x', 'a b')).json().code]).toEqual([
    'QUOTA_EXHAUSTED',
    'INVALID_IDEMPOTENCY_KEY',
  ])
  await rows(api.context.db, "update svc.baton_write set created_at = now() - interval '25 hours'")
  await rows(api.context.db, 'select baton.purge(1)')
  expect(await rows(api.context.db, 'select from svc.baton_write')).toEqual([])
})

const findKeys = async (id: string) =>
  (
    await rows<{ object_key: string }>(
      api.context.db,
      'select object_key from svc.baton_entry where baton_id = $1 and object_key is not null order by seq',
      [id],
    )
  ).map(row => row.object_key)

test('a read whose stored bytes are missing costs nothing and burns nothing', async () => {
  const { id, tokens } = await owner.create({ preset: 'pass', customShape: SHAPE, content: LONG })
  const before = await quotasOf(id)
  const [object] = await findKeys(id)
  await api.context.store.remove(object!)
  const read = () => api.app.inject(`/v1/baton/${tokens[0].id}`)
  expect((await read()).json().code).toBe('INTERNAL')
  expect(await quotasOf(id)).toEqual(before)
  await api.context.store.put(object!, Buffer.from(LONG), { contentType: 'text/plain' })
  expect([(await read()).body, (await read()).statusCode]).toEqual([LONG, 410])
})

test('a log that breaks off in the middle is given back too', async () => {
  const { id } = await owner.create({ preset: 'scratchpad', customShape: SHAPE, content: LONG })
  await owner.call('POST', `/v1/baton/${id}`, { content: LONG })
  const before = await quotasOf(id)
  const [, second] = await findKeys(id)
  await api.context.store.remove(second!)
  await expect(owner.call('GET', `/v1/baton/${id}`)).rejects.toThrow()
  await eventually('the read to be given back', async () => (await quotasOf(id)).readsLeft === before.readsLeft)
  expect(await quotasOf(id)).toEqual(before)
})

test('those who wait for a baton are told of its changes, and nobody else is', async () => {
  const { context } = api
  const announced: string[] = []
  let isReady = false
  const onChange = (id: string) => {
    announced.push(id)
    context.tails.onNotify(id)
  }
  const listener = openListener(context.config.databaseUrl!, 'test', { baton_changed: onChange }, () => {
    isReady = true
  })
  await eventually('the listener', () => isReady)
  const [followed, other] = [
    await owner.create({ preset: 'scratchpad', tier: 'femto', tokens: [{ type: 'read' }] }),
    await owner.create({ preset: 'scratchpad', tier: 'femto' }),
  ]
  const isFollowed = async () =>
    (await rows(context.db, 'select from svc.baton where id = $1 and tailed_until > now()', [followed.id])).length === 1
  const waiting = owner.call('GET', `/v1/baton/${followed.id}/tail?wait=30`)
  await eventually('the tail to wait', isFollowed)
  await owner.call('POST', `/v1/baton/${other.id}`, { content: 'x' })
  await owner.call('POST', `/v1/baton/${followed.id}`, { content: 'y' })
  expect((await waiting).json().data).toMatchObject([{ content: 'y' }])
  await eventually('the notification', () => announced.length > 0)
  expect(announced).toEqual([followed.id])

  const refused = api.app.inject(`/v1/baton/${followed.tokens[0].id}/tail?since=1&wait=30`)
  const change = { revoke: true }
  await owner.call('POST', `/v1/baton/${followed.id}/tokens/${followed.tokens[0].id}`, change)
  expect((await refused).statusCode).toBe(410)
  const ended = owner.call('GET', `/v1/baton/${followed.id}/tail?since=1&wait=30`)
  await eventually('it to be answered by the end of all waits', async () => {
    context.tails.endAll()
    return await Promise.race([ended.then(() => true), new Promise(resolve => setTimeout(resolve, 50))])
  })
  expect((await ended).json().data).toEqual([])
  await listener.close()
})
