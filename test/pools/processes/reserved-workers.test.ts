import { expect, test } from 'vitest'
import type { Reuse } from '../../../pools/processes/worker-kind.ts'
import { createContext, FakeProcess, openPool, useFakePools } from '../../support/pools/fake-pool.ts'

useFakePools()

const openSingle = (concurrency = 1) => openPool({ callsInFlight: 1, replacesSpent: true }, concurrency)
type Opened = ReturnType<typeof openSingle>

/** The number of the process that takes a call of an account, after which it may be used as `reuse` says. */
function call({ pool, started }: Opened, accountId: string | undefined, reuse: Reuse = 'same-account') {
  return pool.run({ ...createContext(), accountId }, async process => {
    process.reuse = reuse
    return started.indexOf(process)
  })
}

const settled = (opened: Opened, processes: number) => expect.poll(() => opened.started.length).toBe(processes)

test('keeps a process that ran what an account wrote for that account, and starts another for the rest', async () => {
  const opened = openSingle()
  expect(await call(opened, 'a')).toBe(0)
  await settled(opened, 2)
  expect([await call(opened, 'a'), await call(opened, 'a'), await call(opened, 'b', 'anyone')]).toEqual([0, 0, 1])
  expect([await call(opened, 'a'), await call(opened, 'c', 'anyone')]).toEqual([0, 1])
  expect(opened.pool.stats()).toMatchObject({ recycled: 0, crashed: 0 })
})

test('uses no process again for an account that is not known, or that may be used by nobody', async () => {
  const opened = openSingle()
  expect([await call(opened, undefined), await call(opened, undefined)]).toEqual([0, 1])
  expect([await call(opened, 'a', 'nobody'), await call(opened, 'a')]).toEqual([2, 3])
  expect([await call(opened, 'a', 'nobody'), await call(opened, 'a')]).toEqual([3, 4])
  expect(opened.pool.stats().recycled).toBe(4)
})

test('keeps no more processes for single accounts than may work at once, those used last', async () => {
  const opened = openSingle()
  const used: number[] = []
  for (const account of ['a', 'b', 'b', 'a']) {
    used.push(await call(opened, account))
    await settled(opened, Math.max(...used) + 2)
  }
  expect(used).toEqual([0, 1, 1, 2])
  await expect.poll(() => opened.pool.stats().processes).toBe(2)
})

test('runs no more calls at once than it may, also where processes are kept for accounts', async () => {
  const opened = openSingle()
  expect(await call(opened, 'a')).toBe(0)
  await settled(opened, 2)
  const gate = Promise.withResolvers<string>()
  const order: string[] = []
  const first = opened.pool.run({ ...createContext(), accountId: 'a' }, () => gate.promise)
  const second = call(opened, 'b').then(() => order.push('b'))
  const third = call(opened, 'a').then(() => order.push('a'))
  gate.resolve('done')
  expect(await first).toBe('done')
  await Promise.all([second, third])
  expect(order).toEqual(['b', 'a'])
})

test('shares a process between accounts while it has run nothing of theirs', async () => {
  const opened = openSingle()
  expect([await call(opened, 'a', 'anyone'), await call(opened, 'b', 'anyone')]).toEqual([0, 0])
  expect(opened.started).toEqual([expect.any(FakeProcess)])
})

test('a new size ends what is kept for accounts, and not the process that all may use', async () => {
  const opened = openSingle()
  expect(await call(opened, 'a')).toBe(0)
  await settled(opened, 2)
  await expect.poll(() => opened.pool.stats().processes).toBe(2)
  opened.pool.resize(1)
  expect(opened.pool.stats().processes).toBe(1)
  expect(await call(opened, 'b')).toBe(1)
})
