import { expect, test } from 'vitest'
import { createContext, FakeProcess, forever, openPool, useFakePools } from '../../support/pools/fake-pool.ts'

useFakePools()

/** A pool whose processes end as soon as they start, until `repair` is called. */
function openBrokenPool() {
  let isBroken = true
  let starts = 0
  const opening = openPool({
    pause: { firstMs: 150, maxMs: 300 },
    start() {
      const process = new FakeProcess()
      starts += 1
      if (isBroken) process.end('exit code 1')
      return { process, opened: isBroken ? forever() : Promise.resolve(process) }
    },
  })
  const repair = () => {
    isBroken = false
  }
  return { ...opening, repair, countStarts: () => starts }
}

const UNAVAILABLE = { code: 'PROVIDER_UNAVAILABLE', hints: { capability: 'fake', retryAfterSeconds: 1 } }

test('refuses calls at once while no process can be started, and finds out by itself that one can', async () => {
  const { pool, repair, countStarts } = openBrokenPool()
  const waiting = await Promise.allSettled([
    pool.run(createContext(), forever),
    pool.run(createContext(), forever),
    pool.run(createContext(), forever),
  ])
  expect(waiting).toMatchObject([{ reason: UNAVAILABLE }, { reason: UNAVAILABLE }, { reason: UNAVAILABLE }])
  expect(countStarts()).toBe(2)
  await expect(pool.run(createContext(), forever)).rejects.toMatchObject(UNAVAILABLE)
  expect(countStarts()).toBe(2)
  repair()
  const answer = () => pool.run(createContext(), async () => 'works').catch(() => 'refused')
  await expect.poll(answer, { timeout: 60_000, interval: 50 }).toBe('works')
  expect(countStarts()).toBe(3)
})

test('waits for one more start after one that failed at once', async () => {
  let starts = 0
  const { pool } = openPool({
    pause: { firstMs: 60_000, maxMs: 60_000 },
    start() {
      const process = new FakeProcess()
      starts += 1
      if (starts === 1) process.end('exit code 1')
      return { process, opened: starts === 1 ? forever() : Promise.resolve(process) }
    },
  })
  expect(await pool.run(createContext(), async () => 'works')).toBe('works')
  expect(starts).toBe(2)
})
