import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { step } from '#kit'
import { rows, value } from '../../sql/db.ts'
import { countSteps, listSteps } from '../../sql/step/queue.ts'
import type { StepDeps } from '../../tasks/products/step-deps.ts'
import { findSteps, type LoadedStep } from '../../workers/steps/tasks.ts'
import { type InProcessApi, openInProcessApi } from '../support/stack/in-process-api.ts'
import { runCli } from '../support/stack/run-cli.ts'
import { runDueSteps } from '../support/stack/run-steps.ts'

let api: InProcessApi
beforeAll(async () => {
  api = await openInProcessApi()
})
afterAll(async () => {
  await api[Symbol.asyncDispose]()
})

const payload = Type.Object({ text: Type.String() })

function name(declared: ReturnType<typeof step<typeof payload, StepDeps>>, callers: LoadedStep['callers'] = {}) {
  return [{ name: 'test.note', load: async () => ({ step: declared as never, callers }) }]
}

function queue(text: unknown, key: string, seconds = 0): Promise<void> {
  const time = `now() + make_interval(secs => ${seconds})`
  return value(api.context.db, `select step.queue('test.note', $1, ${time}, $2)`, [JSON.stringify({ text }), key])
}

const list = async () => (await listSteps(api.context.db, 100)).filter(({ name }) => name === 'test.note')

test('a step gets its payload, and the callers of its product without the database', async () => {
  const noted: unknown[] = []
  const callers = { note: (db: unknown, ...args: unknown[]) => noted.push([db === api.context.db, ...args]) }
  const note = step({
    summary: 'Note.',
    payload,
    async run({ text }, { sql, settings, now }: StepDeps) {
      ;(sql as unknown as { note(...args: unknown[]): void }).note(text, settings.get('lease.max_seconds'), now())
    },
  })
  await queue('a', 'one')
  await runDueSteps(api.context, name(note, callers as never))
  expect(noted).toEqual([[true, 'a', 2_592_000, expect.any(Date)]])
  expect(await list()).toEqual([])
})

test('under one key a step is queued once, with what was queued last, and not if the transaction is undone', async () => {
  const texts: string[] = []
  const note = step({ summary: 'Note.', payload, run: async ({ text }) => void texts.push(text) })
  for (const text of ['a', 'b', 'c']) await queue(text, 'same', 3_600)
  await queue('d', 'other')
  const undone = "do $$ begin perform step.queue('test.note', '{\"text\":\"x\"}', now(), 'x'); raise 'undone'; end $$"
  await expect(rows(api.context.db, undone)).rejects.toThrow('undone')
  expect((await list()).map(({ key, state }) => [key, state])).toEqual([
    ['other', 'waiting'],
    ['same', 'waiting'],
  ])
  await runDueSteps(api.context, name(note))
  expect(texts.sort()).toEqual(['c', 'd'])
})

test('a step that a caller waits for goes before the others', async () => {
  const texts: string[] = []
  const note = step({ summary: 'Note.', payload, run: async ({ text }) => void texts.push(text) })
  for (const text of ['a', 'b', 'c']) await queue(text, text)
  await value(api.context.db, "select step.queue_first('test.note', $1, 'c')", [JSON.stringify({ text: 'awaited' })])
  await runDueSteps(api.context, name(note))
  expect(texts).toEqual(['awaited', 'a', 'b'])
})

test('a step that queues itself again runs again', async () => {
  const texts: string[] = []
  const again = step({
    summary: 'Note.',
    payload,
    async run({ text }) {
      texts.push(text)
      if (text === 'first') await queue('second', 'self')
    },
  })
  await queue('first', 'self')
  await runDueSteps(api.context, name(again))
  expect(texts).toEqual(['first', 'second'])
  expect(await list()).toEqual([])
})

test('a step that fails waits longer each time, is dead after the last try, and the operator can run it again', async () => {
  const { db, config } = api.context
  const env = { DATABASE_URL: db.url, DATA_DIR: config.dataDir, SECRET: 'a secret of the tests alone' }
  let isBroken = true
  const failing = step({
    summary: 'Note.',
    payload,
    async run() {
      if (isBroken) throw new Error('the notebook is lost')
    },
  })
  await queue('a', 'broken')
  await runDueSteps(api.context, name(failing))
  const [failed] = await list()
  expect(failed).toMatchObject({ state: 'failing', attempts: 1, max_attempts: 12, last_error: expect.any(String) })
  expect(failed!.run_at.getTime()).toBeGreaterThan(Date.now())
  await rows(db, 'update lane_step._private_jobs set attempts = 11, run_at = now() where id = $1', [failed!.id])
  await runDueSteps(api.context, name(failing))
  expect(await countSteps(db)).toMatchObject({ dead: 1, failing: 0 })
  const listed = await runCli(env, 'steps')
  expect(listed.stdout).toMatch(/test\.note +broken +dead +12 of 12 +- +the notebook is lost/)
  expect(await api.context.meters.registry.metrics()).toContain('coinop_steps{state="dead"} 1')
  expect((await runCli(env, 'steps', 'retry')).stderr).toContain('or give --all')
  expect((await runCli(env, 'steps', 'retry', '1', '--all')).exitCode).toBe(1)
  expect((await runCli(env, 'steps', 'retry', '999999')).stderr).toContain('no failing or dead step')
  isBroken = false
  expect((await runCli(env, 'steps', 'retry', '--all')).stdout).toBe('1 due now')
  await runDueSteps(api.context, name(failing))
  expect(await list()).toEqual([])
})

test('a step with a payload that is not its own, and one that hangs, fail', async () => {
  const hanging = step({ summary: 'Note.', payload, limitSeconds: 0.02, run: () => new Promise(() => undefined) })
  await queue('a', 'hangs')
  await queue(1, 'odd')
  await runDueSteps(api.context, name(hanging))
  const errors = (await list()).map(({ key, last_error: error }) => [key, error])
  expect(errors.sort()).toEqual([
    ['hangs', expect.stringContaining('the step took longer than 0.02 seconds')],
    ['odd', expect.stringContaining('the payload is not that of test.note: {"text":1}')],
  ])
})

test('the steps of products are found by their places, and each of their callers is a function of the SQL module', async () => {
  const found = findSteps()
  expect(found.map(named => named.name)).toContain('lease.expire')
  for (const { load } of found) expect((await load()).step).toMatchObject({ summary: expect.any(String) })
})
