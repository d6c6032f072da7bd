import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Threads } from '../../../ops/process/threads.ts'

const FILE = new URL('../../support/pools/gate-thread.ts', import.meta.url)
const ANY_TIME = new AbortController().signal

let gate: Int32Array
let threads: Threads<string, string>

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  gate = new Int32Array(new SharedArrayBuffer(4))
  threads = new Threads(FILE, gate.buffer, 1)
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
  threads.close()
  openGate()
})

function openGate(): void {
  Atomics.store(gate, 0, 1)
  Atomics.notify(gate, 0)
}

/** From now on this process seems to have worked for so long since the start of each task. */
function workFor(ms: number): void {
  vi.spyOn(process, 'cpuUsage').mockReturnValue({ user: ms * 1_000, system: 0 })
}

test('a thread that worked for ten seconds is ended, and the next task gets another', async () => {
  const late = threads.perform('late', ANY_TIME)
  const next = threads.perform('next', ANY_TIME)
  workFor(10_000)
  vi.advanceTimersByTime(10_000)
  await expect(late).rejects.toMatchObject({ code: 'TIME_LIMIT_EXCEEDED', hints: { limitMs: 10_000 } })
  openGate()
  expect(await next).toBe('next')
})

test('a thread of a process that had no turn for half a minute goes on', async () => {
  const answer = threads.perform('answer', ANY_TIME)
  workFor(900)
  vi.advanceTimersByTime(30_000)
  openGate()
  expect(await answer).toBe('answer')
})

test('a thread that only waits is ended by the clock', async () => {
  const answer = threads.perform('answer', ANY_TIME)
  workFor(900)
  vi.advanceTimersByTime(75_000)
  await expect(answer).rejects.toMatchObject({ code: 'TIME_LIMIT_EXCEEDED' })
})

test('a task whose time is over before it has begun may be sent again', async () => {
  const first = threads.perform('first', ANY_TIME)
  const waits = threads.perform('waits', AbortSignal.abort())
  const last = threads.perform('last', ANY_TIME)
  openGate()
  await expect(waits).rejects.toMatchObject({ code: 'BUSY', hints: { retryAfterSeconds: 1 } })
  expect(await Promise.all([first, last])).toEqual(['first', 'last'])
})
