import { expect, test } from 'vitest'
import { Problem } from '#kit'
import { openSdkCalls } from '../../../ops/providers/http/sdk-calls.ts'

test('an SDK that could not be loaded is loaded again by the next call, and then no more', async () => {
  let loads = 0
  const load = async () => {
    loads += 1
    if (loads === 1) throw new Error('no file left to open')
    return { answer: 'harbour' }
  }
  const unavailable = () => new Problem('PROVIDER_UNAVAILABLE')
  const call = openSdkCalls({ provider: 'test', load, explain: unavailable, unavailable })
  const ask = () => call({ signal: new AbortController().signal, timeoutMs: 60_000 }, async loaded => loaded.answer)
  await expect(ask()).rejects.toThrow('no file left to open')
  expect([await ask(), await ask(), loads]).toEqual(['harbour', 'harbour', 2])
})
