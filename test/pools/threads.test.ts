import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Problem } from '#kit'
import type { JobContext } from '../../pools/job-context.ts'
import { Threads } from '../../pools/threads/pool.ts'
import { ToolCrashed } from '../../pools/tool-crashed.ts'
import { freshFolder } from '../support/machine/folder.ts'

const ENTRY_PATH = fileURLToPath(new URL('../support/pools/thread-entry.ts', import.meta.url))

let temporary: Awaited<ReturnType<typeof freshFolder>>
let threads: Threads
beforeAll(async () => {
  temporary = await freshFolder()
  threads = new Threads(join(temporary.path, 'cache'), ENTRY_PATH)
})
afterAll(async () => {
  await threads.close()
  await temporary[Symbol.asyncDispose]()
})

function createContext(limitSeconds: number, signal: AbortSignal): JobContext {
  const deadlineMs = performance.now() + limitSeconds * 1000
  return {
    jobId: 'job',
    folder: temporary.path,
    signal,
    deadlineMs,
    limitSeconds,
    out: name => join(temporary.path, name),
  }
}

const run = (behaviour: string, limitSeconds = 10, signal = new AbortController().signal) =>
  threads.run(createContext(limitSeconds, signal), { kind: 'tool', tool: 'jose', method: 'verify', args: [behaviour] })

test('a problem is rethrown with its class and hints', async () => {
  const problem = await run('problem').catch(error => error)
  expect(problem).toBeInstanceOf(Problem)
  expect(problem).toMatchObject({ code: 'BAD_RANGE', hints: { pages: 2 } })
})

test('an error in our own code is rethrown as it was and is no crash', async () => {
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

test.each(['exit', 'late'])('a thread that ends by itself (%s) has crashed', async behaviour => {
  await expect(run(behaviour)).rejects.toThrow(ToolCrashed)
})

test.each(['hoard', 'fill', 'spread'])(
  'a thread that exceeds the memory limit (%s) fails with a problem, and this process lives on',
  async behaviour => {
    await expect(run(behaviour, 60)).rejects.toMatchObject({ code: 'MEMORY_LIMIT_EXCEEDED' })
  },
)

test('the pool still works after all of these', async () => {
  expect(await run('nothing')).toBeTypeOf('number')
})

test('replaces only the thread that grew', async () => {
  const before = await run('nothing')
  expect(await run('nothing')).toBe(before)
  const grown = await run('grow')
  expect(threads.recycled).toBe(1)
  expect(await run('nothing')).not.toBe(grown)
})

test('the next thread finds all modules of a thread without types', async () => {
  await using folder = await freshFolder()
  const real = new Threads(folder.path)
  const input = { version: '4', count: 1 }
  await real.run(createContext(60, new AbortController().signal), { kind: 'operation', operation: 'utils.uuid', input })
  await real.close()
  const files = await readdir(folder.path, { recursive: true, withFileTypes: true })
  const kept = files.filter(file => file.isFile()).map(file => readFileSync(join(file.parentPath, file.name), 'latin1'))
  const entry = kept.filter(content => content.includes('tasksByThread.set(request.runId, threadId)'))
  expect(entry).toHaveLength(1)
  expect(entry[0]).not.toContain(': ThreadRequest')
})
