import { expect, test } from 'vitest'
import { eventually } from '../../support/machine/eventually.ts'
import { startStack } from '../../support/stack/start.ts'

test('health reports when the last worker is gone, and when one is back', async () => {
  await using ownStack = await startStack({ worker: false, env: { LANES: 'thread' } })
  const first = await ownStack.startWorker()
  const health = async () => (await ownStack.anonymous.get('/health')).body
  await eventually('health', async () => (await health()).status === 'ok')
  expect((await health()).checks).toMatchObject({
    database: { ok: true },
    queue: { ok: true, waiting: 0 },
    store: { ok: true },
    workers: { ok: true, alive: 1 },
  })
  await first.stop()
  await eventually('health to be degraded', async () => (await health()).status === 'degraded')
  expect((await health()).checks.workers).toMatchObject({ ok: false, alive: 0 })
  const second = await ownStack.startWorker()
  await eventually('health to be ok', async () => (await health()).status === 'ok')
  await second.kill()
  await eventually('health to be degraded after the kill', async () => (await health()).status === 'degraded')
})
