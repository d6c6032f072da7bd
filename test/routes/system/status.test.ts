import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '#kit'
import { DAYS, StatusBoard } from '../../../api/status/board.ts'
import { judgeComponents, judgeService, type StatusFacts } from '../../../api/status/components.ts'
import { openDb, rows } from '../../../sql/db.ts'
import { recordMinutes } from '../../../sql/status/availability.ts'
import { joinWorkers } from '../../../sql/worker.ts'
import { probe } from '../../../workers/probe.ts'
import { eventually } from '../../support/machine/eventually.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'
import { runCli } from '../../support/stack/run-cli.ts'

let api: InProcessApi
beforeAll(async () => {
  api = await openInProcessApi()
})
afterAll(() => api[Symbol.asyncDispose]())

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()
const LANES = { thread: 1, native: 1, program: 1, remote: 1 }

/** A board that has read nothing yet. */
function openBoard(db = api.context.db): StatusBoard {
  const { store, availability } = api.context
  return new StatusBoard({ db, store, availability, network: undefined })
}

test('a day is the share of its minutes that were seen up, and one without probes has no figure', async () => {
  const { db } = api.context
  // All on one day, also shortly after midnight.
  const at = (minute: number) =>
    `${minutesAgo(24 * 60).slice(0, 10)}T${String(23).padStart(2, '0')}:${String(minute).padStart(2, '0')}:30Z`
  const minutes = [10, 11, 12, 13].map(minute => ({ minute: at(minute), up: { api: minute !== 12, webhooks: true } }))
  await recordMinutes(db, minutes)
  // What is sent again counts once; a second prober that could reach the service is believed.
  await recordMinutes(db, minutes)
  const find = async (id: string) => (await openBoard().read()).components.find(component => component.id === id)!
  const { availability, days } = await find('api')
  expect([availability, days.length, days.filter(day => day.availability !== null)]).toEqual([
    ...[0.75, DAYS],
    [{ day: at(0).slice(0, 10), availability: 0.75 }],
  ])
  await recordMinutes(db, [
    { minute: at(12), up: { api: true } },
    { minute: minutesAgo(5 * 24 * 60), up: { api: false } },
  ])
  expect([
    (await find('api')).availability,
    (await find('webhooks')).availability,
    (await find('storage')).availability,
  ]).toEqual([1, 1, null])
})

test('lanes without a worker are down, and without the database the last state is told with its age', async () => {
  const { db, availability, config } = api.context
  const before = (await api.app.inject('/v1/status')).json()
  expect(before).toMatchObject({ state: 'degraded', isCurrent: true })
  expect(before.components.find(({ id }: { id: string }) => id === 'lane:native')).toMatchObject({ state: 'down' })
  await joinWorkers(db, { id: newId(), host: 'elsewhere', pid: 1, pools: [], lanes: LANES, tools: [] })
  await availability.refresh()
  const ending = openDb(config.databaseUrl!, { name: 'test', size: 1 })
  const board = openBoard(ending)
  const states = async () => Object.fromEntries((await board.read()).components.map(({ id, state }) => [id, state]))
  expect(await states()).toMatchObject({ api: 'operational', 'lane:native': 'operational', storage: 'operational' })
  // Providers that nobody has configured, or whose data nobody has loaded, are no fault of the service.
  expect([...new Set(Object.values(await states()))]).toEqual(['operational'])
  const cut = openBoard(ending)
  await ending.end()
  expect(await cut.read()).toMatchObject({
    state: 'down',
    isCurrent: false,
    components: [{ id: 'api', state: 'down' }],
    incidents: [],
  })
})

test('what is told of a component follows from what is known', () => {
  const worker = { id: '', host: '', pid: 1, lanes: LANES, tools: [], started_at: new Date(), silent_seconds: 1 }
  const tool = (ok: boolean) => ({ name: 'vision', lane: 'remote' as const, ok })
  const calm: StatusFacts = {
    ...{ workers: [worker], tools: [], lanes: [], webhookOldestSeconds: 0, doubtOldestSeconds: 0, isStoreUsable: true },
    network: 'base',
  }
  const judge = (change: Partial<StatusFacts>) => {
    const components = judgeComponents({ ...calm, ...change })
    const troubled = components.filter(({ state }) => state !== 'operational')
    return [judgeService(components), ...troubled.map(({ id, state }) => `${id} ${state}`)]
  }
  expect(judge({})).toEqual(['operational'])
  expect(judge({ lanes: [{ lane: 'native', oldest_seconds: 31 }] })).toEqual(['degraded', 'lane:native degraded'])
  expect(judge({ workers: [{ ...worker, lanes: { ...LANES, remote: 0 } }] })).toEqual([
    'degraded',
    'lane:remote down',
    'webhooks down',
  ])
  expect(judge({ webhookOldestSeconds: 301, doubtOldestSeconds: 1_201 })).toEqual([
    'degraded',
    'webhooks degraded',
    'payments:base degraded',
  ])
  expect(judge({ isStoreUsable: false, tools: [tool(true), tool(false)] })).toEqual([
    'degraded',
    'storage down',
    'providers degraded',
  ])
  expect(judge({ tools: [tool(false)] })).toEqual(['degraded', 'providers down'])
  // What nobody has configured is not broken.
  expect(judge({ tools: [tool(true), { ...tool(false), isAbsent: true }] })).toEqual(['operational'])
})

test('an incident is told from its opening to its end, in JSON, on the page and in the feed', async () => {
  const { config } = api.context
  const env = { DATABASE_URL: config.databaseUrl!, DATA_DIR: config.dataDir, SECRET: config.secret }
  const cli = (...args: string[]) => runCli(env, 'incident', ...args)
  const { stdout: id } = await cli(
    'open',
    'Images & <more> are slow',
    'We look into it.',
    '--components',
    'lane:native',
  )
  expect(id).toMatch(/^[0-9a-f-]{36}$/)
  expect((await cli('open', 'No', 'No', '--impact', 'total')).stderr).toContain(
    '--impact must be one of degraded, outage, maintenance',
  )
  expect((await cli('update', id, 'A machine is replaced.')).stdout).toBe('identified')
  expect((await cli('resolve', id, 'Waits are normal again.')).exitCode).toBe(0)
  expect((await cli('update', id, 'Too late.')).exitCode).toBe(1)
  const { incidents } = await openBoard().read()
  expect(incidents).toMatchObject([
    {
      id,
      impact: 'degraded',
      components: ['lane:native'],
      updates: [{ state: 'resolved' }, { state: 'identified' }, { state: 'investigating' }],
    },
  ])
  const [stored] = await rows<{ resolved_at: Date }>(
    api.context.db,
    'select resolved_at from svc.incident where id = $1',
    [id],
  )
  expect(stored!.resolved_at).toBeInstanceOf(Date)
  // What was read last is kept for five seconds.
  const feed = await eventually('the feed', async () => {
    const answer = await api.app.inject('/status.atom')
    return answer.payload.includes(id) && answer
  })
  expect(feed.headers['content-type']).toMatch(/^application\/atom\+xml/)
  expect(feed.payload).toContain(`<entry><id>urn:uuid:${id}</id><title>Images &amp; &lt;more&gt; are slow</title>`)
  expect(feed.payload).toMatch(/resolved: Waits are normal again\.\n\n.*identified: A machine is replaced\./)
  const page = await api.app.inject('/status')
  expect(page.payload).toContain('<h3>Images &amp; &lt;more&gt; are slow</h3>')
  expect(page.headers['content-security-policy']).toContain("default-src 'none'")
})

test('a probe sees each component, and a service that does not answer has none', async () => {
  const address = await api.app.listen({ port: 0, host: '127.0.0.1' })
  const seen = await probe(address)
  expect(seen).toMatchObject({ api: true, storage: true })
  expect(await probe('http://127.0.0.1:9')).toBeUndefined()
  expect(await probe(`${address}/nowhere`)).toBeUndefined()
})
