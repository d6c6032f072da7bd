import { expect, test, vi } from 'vitest'
import { watchStore } from '../../workers/outputs/watch-store.ts'

test('a store that stops answering is missed, and found again', async () => {
  let check = (): Promise<void> => Promise.resolve()
  const seen: boolean[] = []
  const watch = watchStore({ kind: 's3', check: () => check() }, () => seen.push(watch.isReachable()))
  expect(watch.isReachable()).toBe(true)
  check = () => new Promise(() => undefined)
  await vi.waitUntil(() => !watch.isReachable(), { timeout: 60_000 })
  check = () => Promise.resolve()
  await vi.waitUntil(() => watch.isReachable(), { timeout: 60_000 })
  watch.stop()
  expect(seen).toEqual([false, true])
})
