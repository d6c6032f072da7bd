import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { step } from '#kit'
import { rows, value } from '../../sql/db.ts'
import { listSteps } from '../../sql/step/queue.ts'
import type { WorkerContext } from '../../workers/context.ts'
import { StepRunner } from '../../workers/steps/runner.ts'
import { eventually } from '../support/machine/eventually.ts'
import { type InProcessApi, openInProcessApi } from '../support/stack/in-process-api.ts'

let api: InProcessApi
beforeAll(async () => {
  api = await openInProcessApi()
})
afterAll(() => api[Symbol.asyncDispose]())

const payload = Type.Object({ text: Type.String() })
const quiet = { error: ignore, warn: ignore, info: ignore, debug: ignore, scope: () => quiet } as never
function ignore(): void {}
const replaced: unknown[] = []
function noteWarning(_facts: unknown, text: string): void {
  if (text.includes('is replaced')) replaced.push(text)
}

/** Runs what the texts of steps name, as a worker does. */
function openRunner(run: (text: string) => Promise<void>) {
  const { config, db, settings, store, mail, log } = api.context
  const context = {
    config,
    db,
    settings,
    store,
    mail,
    log: { ...log, warn: noteWarning },
    queueLog: quiet,
    isDraining: false,
  }
  const declared = step({ summary: 'Run.', payload, run: ({ text }) => run(text) })
  const named = { name: 'test.run', load: async () => ({ step: declared as never, callers: {} }) }
  return new StepRunner(context as unknown as WorkerContext, [named], ignore)
}

const queue = (text: string, queueName: string | null = null) =>
  value(api.context.db, "select step.queue_in($1, 'test.run', $2, now(), $3)", [
    queueName,
    JSON.stringify({ text }),
    text,
  ])
const list = async () =>
  (await listSteps(api.context.db, 100)).filter(({ name }) => name === 'test.run').map(({ key, state }) => [key, state])

/** While the ends of steps cannot be written, as if the connections were lost just then. */
async function refuseEnds(): Promise<AsyncDisposable> {
  const { db } = api.context
  await rows(
    db,
    `create function public.refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
    create trigger refuse before delete on lane_step._private_jobs for each row execute function public.refuse()`,
  )
  return {
    async [Symbol.asyncDispose]() {
      await rows(db, 'drop function public.refuse cascade')
    },
  }
}

test('steps go on when the ends of several could not be written while another one runs', async () => {
  const began: string[] = []
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>()
  const { promise: haveStarted, resolve: begin } = Promise.withResolvers<void>()
  const runner = openRunner(async text => {
    began.push(text)
    if (began.length === 3) begin()
    await (text === 'long' ? isReleased : haveStarted)
  })
  {
    await using _refusal = await refuseEnds()
    for (const [text, queueName] of [['long'], ['first', 'a queue'], ['second']] as const) await queue(text, queueName)
    await runner.resize()
    await haveStarted
    await queue('next')
    await eventually('the runner to be replaced', async () => began.includes('next'))
  }
  await queue('behind', 'a queue')
  await eventually('all but the long one to end', async () => (await list()).every(([key]) => key === 'long'), 60_000)
  expect(await list()).toEqual([['long', 'running']])
  expect(began.filter(text => text === 'long')).toEqual(['long'])
  expect(began).toContain('behind')
  release()
  await eventually('the long one to end', async () => (await list()).length === 0, 60_000)
  await runner.stop()
}, 120_000)

test('a runner whose first look into the queue has failed is replaced', async () => {
  const { db } = api.context
  const began: string[] = []
  const runner = openRunner(async text => void began.push(text))
  await rows(
    db,
    `delete from lane_step._private_tasks where identifier = 'test.run';
    create function public.refuse_names() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
    create trigger refuse before insert on lane_step._private_tasks for each row execute function public.refuse_names()`,
  )
  replaced.length = 0
  await runner.resize()
  await eventually('a first look to be refused', async () => replaced.length > 0)
  await rows(db, 'drop function public.refuse_names cascade')
  await queue('after')
  await eventually('the step to be run', async () => began.includes('after'))
  await runner.stop()
}, 60_000)
