import { EventEmitter } from 'node:events'
import { expect, onTestFinished, test, vi } from 'vitest'
import { LongPolls } from '../../api/long-polls.ts'

test('a change whose moment has passed by a clock that is ahead is not asked for without a pause', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  let asked = 0
  const options = { accountId: 'a', seconds: 10, max: 1, reply: { raw: new EventEmitter() } as never }
  const found = new LongPolls().until('key', options, async () => {
    asked++
    return { found: 'open', isFinal: false, changesInMs: -240_000 }
  })
  await vi.advanceTimersByTimeAsync(10_000)
  expect(await found).toBe('open')
  expect(asked).toBeGreaterThan(10)
  expect(asked).toBeLessThanOrEqual(101)
})
