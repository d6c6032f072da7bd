import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Problem } from '#kit'
import type { JobRoom } from '../../pools/job-room.ts'
import { Threads } from '../../pools/threads.ts'
import { ToolCrashed } from '../../pools/tool-crashed.ts'
import { freshFolder } from '../support/folder.ts'

const BODY = fileURLToPath(new URL('../support/thread-body.ts', import.meta.url))

let home: Awaited<ReturnType<typeof freshFolder>>
let threads: Threads
beforeAll(async () => {
  home = await freshFolder()
  threads = new Threads(join(home.path, 'cache'), BODY)
})
afterAll(async () => {
  await threads.close()
  await home[Symbol.asyncDispose]()
})

function room(limitSeconds: number, signal: AbortSignal): JobRoom {
  const deadlineMs = performance.now() + limitSeconds * 1000
  return { jobId: 'job', folder: home.path, signal, deadlineMs, limitSeconds, out: name => join(home.path, name) }
}

const run = (mischief: string, limitSeconds = 10, signal = new AbortController().signal) =>
  threads.run(room(limitSeconds, signal), { kind: 'tool', tool: 'jose', method: 'verify', args: [mischief] })

test('a problem comes back with its class and hints', async () => {
  const problem = await run('problem').catch(error => error)
  expect(problem).toBeInstanceOf(Problem)
  expect(problem).toMatchObject({ code: 'BAD_RANGE', hints: { pages: 2 } })
})

test('a bug comes back as it was, and is no crash', async () => {
  const bug = await run('bug').catch(error => error)
  expect(bug).toMatchObject({ name: 'TypeError', message: 'no such thing', stack: 'there' })
  expect(bug).not.toBeInstanceOf(ToolCrashed)
})

test('an endless loop ends at its deadline', async () => {
  await expect(run('spin', 0.5)).rejects.toMatchObject({ code: 'TIME_LIMIT_EXCEEDED', hints: { limitSeconds: 0.5 } })
})

test('a cancelled job ends with the reason given', async () => {
  const stop = new AbortController()
  setTimeout(() => stop.abort(new Error('cancelled')), 100)
  await expect(run('spin', 10, stop.signal)).rejects.toThrow('cancelled')
})

test.each(['exit', 'late'])('a thread that ends by itself (%s) has crashed', async mischief => {
  await expect(run(mischief)).rejects.toThrow(ToolCrashed)
})

test('a thread that hoards memory is told so', async () => {
  await expect(run('hoard', 25)).rejects.toMatchObject({ code: 'MEMORY_LIMIT_EXCEEDED' })
})

test('the pool works on after all of these', async () => {
  expect(await run('nothing')).toBeTypeOf('number')
})

test('a thread that grew is replaced, and only that one', async () => {
  const before = await run('nothing')
  expect(await run('nothing')).toBe(before)
  const grown = await run('grow')
  expect(threads.recycled).toBe(1)
  expect(await run('nothing')).not.toBe(grown)
})
