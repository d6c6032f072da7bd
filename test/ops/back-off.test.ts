import { expect, test } from 'vitest'
import { createRefresh } from '../../ops/back-off.ts'

test('what could not be read is read again until it can be, and the first failure in a row is reported', async () => {
  const outcomes = ['lost', 'lost', 'read', 'lost', 'read']
  const seen: string[] = []
  const reported: unknown[] = []
  const refresh = createRefresh(
    async () => {
      const outcome = outcomes.shift()!
      seen.push(outcome)
      if (outcome === 'lost') throw new Error(`lost at ${seen.length}`)
    },
    error => reported.push(error),
  )
  await refresh()
  expect(seen).toEqual(['lost'])
  await expect.poll(() => seen).toEqual(['lost', 'lost', 'read'])
  await refresh()
  await expect.poll(() => seen).toEqual(['lost', 'lost', 'read', 'lost', 'read'])
  expect(reported.map(String)).toEqual(['Error: lost at 1', 'Error: lost at 4'])
})

test('readings follow one after the other, so that an older one never ends last', async () => {
  const steps: string[] = []
  let count = 0
  const refresh = createRefresh(
    async () => {
      const own = ++count
      steps.push(`${own} begins`)
      await new Promise(resolve => setImmediate(resolve))
      steps.push(`${own} ends`)
    },
    () => steps.push('failed'),
  )
  await Promise.all([refresh(), refresh()])
  expect(steps).toEqual(['1 begins', '1 ends', '2 begins', '2 ends'])
})
