import { expect, test } from 'vitest'
import { ToolCrashed } from '../../../pools/tool-crashed.ts'
import { createContext, FakeProcess, forever, openPool, useFakePools } from '../../support/pools/fake-pool.ts'

useFakePools()

test('starts a process for the first call and keeps it for the next', async () => {
  const { pool, started } = openPool()
  const first = await pool.run(createContext(), async process => process)
  expect(await pool.run(createContext(), async process => process)).toBe(first)
  expect(started).toHaveLength(1)
  expect(pool.stats()).toMatchObject({ processes: 1, recycled: 0, crashed: 0 })
})

test('fails the only call of a process over its memory limit', async () => {
  const { pool, started } = openPool()
  const call = pool.run(createContext(), process => {
    process.memoryMb = 101
    return forever()
  })
  await expect(call).rejects.toMatchObject({ code: 'MEMORY_LIMIT_EXCEEDED', hints: { limitMb: 100 } })
  expect(await pool.run(createContext(), async () => 'next')).toBe('next')
  expect(started).toHaveLength(2)
})

test('fails a call on which its process has run for too long, not counting the calls before', async () => {
  const { pool, started } = openPool({ callSeconds: 5 })
  await pool.run(createContext(), async process => {
    process.runningMs = 4_000
  })
  const call = pool.run(createContext(), process => {
    process.runningMs = process === started[0] ? 9_001 : 0
    return forever()
  })
  await expect(call).rejects.toMatchObject({ code: 'TIME_LIMIT_EXCEEDED', hints: { limitSeconds: 5 } })
  expect(await pool.run(createContext(), async process => process)).toBe(started[1])
})

test('fails a call that may run for less time than others', async () => {
  const { pool, started } = openPool({ callSeconds: 5 })
  const call = pool.run(
    createContext(),
    process => {
      process.runningMs = 2_001
      return forever()
    },
    2,
  )
  await expect(call).rejects.toMatchObject({ code: 'TIME_LIMIT_EXCEEDED', hints: { limitSeconds: 2 } })
  expect(await pool.run(createContext(), async process => process)).toBe(started[1])
})

test('runs the calls of a process over its memory limit again one by one, and fails the one to blame', async () => {
  const { pool } = openPool({}, 2)
  const [harmless, greedy] = await Promise.allSettled([
    pool.run(createContext(), async process => {
      await new Promise(resolve => setTimeout(resolve, 600))
      return process.memoryMb
    }),
    pool.run(createContext(), process => {
      process.memoryMb = 101
      return forever()
    }),
  ])
  expect(harmless).toMatchObject({ value: 0 })
  expect(greedy).toMatchObject({ reason: { code: 'MEMORY_LIMIT_EXCEEDED' } })
})

test('fails the call of a process that dies, and starts another for the next', async () => {
  const { pool, started } = openPool({}, 2)
  const call = pool.run(createContext(), forever)
  await expect.poll(() => started.length).toBe(1)
  started[0]!.end('SIGSEGV')
  await expect(call).rejects.toThrow('fake crashed: SIGSEGV')
  expect(await pool.run(createContext(), async process => process)).toBe(started[1])
  expect(pool.stats().crashed).toBe(1)
})

test('runs the calls of a shared process that dies again, each alone, so that only the one to blame fails', async () => {
  const { pool, started } = openPool({}, 2)
  const isFirst = (process: unknown) => process === started[0]
  const crashing = pool.run(createContext(), forever)
  const beside = pool.run(createContext(), process => (isFirst(process) ? forever() : Promise.resolve(process)))
  await expect.poll(() => started.length).toBe(1)
  started[0]!.end('SIGSEGV')
  await expect.poll(() => started.length).toBe(2)
  started[1]!.end('SIGSEGV')
  await expect(crashing).rejects.toThrow('fake crashed: SIGSEGV')
  expect(await beside).toBe(started[2])
})

test('kills the process of a late call, and runs its other calls again', async () => {
  const { pool, started } = openPool({}, 2)
  const late = pool.run(createContext(0.2), forever)
  const beside = pool.run(createContext(), process => (process === started[0] ? forever() : Promise.resolve('done')))
  await expect(late).rejects.toMatchObject({ code: 'TIME_LIMIT_EXCEEDED', hints: { limitSeconds: 0.2 } })
  expect(await beside).toBe('done')
})

test('gives a call as much more time as its process waited for a processor, up to three times its limit', async () => {
  const { pool } = openPool()
  const context = createContext(1)
  const { deadlineMs } = context
  const delayed = pool.run(context, async process => {
    process.waitingMs = 1_200
    await new Promise(resolve => setTimeout(resolve, 1_300))
    return 'done'
  })
  expect(await delayed).toBe('done')
  expect(context.deadlineMs - deadlineMs).toBeCloseTo(1_200)
  const stuck = pool.run(createContext(0.2), process => {
    process.waitingMs = 60_000
    return forever()
  })
  await expect(stuck).rejects.toMatchObject({ code: 'TIME_LIMIT_EXCEEDED' })
})

test('removes a cancelled call from the queue and lets the running one finish', async () => {
  const { pool, started } = openPool()
  const gate = Promise.withResolvers<string>()
  const running = pool.run(createContext(), () => gate.promise)
  const stop = new AbortController()
  const waiting = pool.run(createContext(10, stop.signal), async () => 'never')
  stop.abort(new Error('cancelled'))
  await expect(waiting).rejects.toThrow('cancelled')
  gate.resolve('done')
  expect(await running).toBe('done')
  expect(started).toHaveLength(1)
})

test.each([
  ['whole-queue', ['rejected', 'rejected']],
  ['first-in-queue', ['rejected', 'fulfilled']],
] as const)('a failed start fails the %s, and the next start waits longer', async (failedStartFails, states) => {
  const failures: number[] = []
  const { pool, started } = openPool({
    failedStartFails,
    start({ failedStarts }) {
      failures.push(failedStarts)
      const process = new FakeProcess()
      started.push(process)
      return {
        process,
        opened: failedStarts === 0 ? Promise.reject(new Error('no such file')) : Promise.resolve(process),
      }
    },
  })
  const startMs = performance.now()
  const settled = await Promise.allSettled([1, 2].map(value => pool.run(createContext(), async () => value)))
  expect(settled.map(({ status }) => status)).toEqual(states)
  expect(settled[0]).toMatchObject({ reason: expect.any(ToolCrashed) })
  expect(await pool.run(createContext(), async () => 'next')).toBe('next')
  expect(failures).toEqual([0, 1])
  expect(performance.now() - startMs).toBeGreaterThan(190)
})

test('counts the death of a process in its first call as a failed start where only that call proves the start', async () => {
  const failures: number[] = []
  const { pool, started } = openPool({
    startProvenBy: 'first-call',
    start({ failedStarts }) {
      failures.push(failedStarts)
      const process = new FakeProcess()
      started.push(process)
      return { process, opened: Promise.resolve(process) }
    },
  })
  const crash = (process: FakeProcess) => {
    process.end('SIGILL')
    return forever()
  }
  await expect(pool.run(createContext(), crash)).rejects.toThrow(ToolCrashed)
  await pool.run(createContext(), async () => 'works')
  await expect(pool.run(createContext(), crash)).rejects.toThrow(ToolCrashed)
  await pool.run(createContext(), async () => 'works')
  expect(failures).toEqual([0, 1, 0])
})

test.each([
  ['many calls', { maxCalls: 1 }, 0],
  ['much memory', {}, 51],
])('replaces a process after %s', async (_, options, memoryMb) => {
  const { pool, started } = openPool(options)
  await pool.run(createContext(), async process => {
    process.memoryMb = memoryMb
    await new Promise(resolve => setTimeout(resolve, memoryMb > 0 ? 400 : 0))
  })
  await pool.run(createContext(), async () => undefined)
  expect(started).toHaveLength(2)
  expect(pool.stats().recycled).toBeGreaterThan(0)
})

test('resets a process between calls, and replaces one that cannot be reset or used', async () => {
  const resets: FakeProcess[] = []
  const { pool, started } = openPool({
    async reset(process) {
      resets.push(process)
      if (resets.length === 2) throw new Error('cannot be reset')
    },
    isUsableAfter: error => (error as Error).message !== 'broken',
  })
  const identify = () => pool.run(createContext(), async process => started.indexOf(process))
  expect([await identify(), await identify(), await identify()]).toEqual([0, 0, 1])
  await expect(pool.run(createContext(), () => Promise.reject(new Error('refused')))).rejects.toThrow('refused')
  expect(await identify()).toBe(1)
  await expect(pool.run(createContext(), () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(await identify()).toBe(2)
})

test('ends a process that is idle for too long', async () => {
  const { pool } = openPool({ maxIdleMs: 100 })
  await pool.run(createContext(), async () => undefined)
  expect(pool.stats().processes).toBe(1)
  await expect.poll(() => pool.stats().processes).toBe(0)
})

test('fails running, waiting and later calls when it is closed', async () => {
  const { pool, started } = openPool()
  const calls = [pool.run(createContext(), forever), pool.run(createContext(), forever)]
  await expect.poll(() => started.length).toBe(1)
  pool.close()
  calls.push(pool.run(createContext(), forever))
  for (const call of calls) await expect(call).rejects.toThrow('the pool was closed')
})
