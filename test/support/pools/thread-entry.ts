import { threadId, workerData } from 'node:worker_threads'
import type { ThreadData, ThreadRequest, ThreadResponse } from '../../../pools/threads/entry.ts'
import { TasksByThread } from '../../../pools/threads/tasks-by-thread.ts'

const tasksByThread = new TasksByThread((workerData as ThreadData).tasks)

/** An entry point for threads that behaves as its first argument demands, to test how the pool reacts. */
export default async function runRequest(request: ThreadRequest): Promise<ThreadResponse> {
  tasksByThread.set(request.runId, threadId)
  const [behaviour] = (request as { args?: unknown[] }).args as [string]
  const response: ThreadResponse = { value: threadId, threadId, heapBytes: behaviour === 'grow' ? 2 ** 40 : 0 }
  if (behaviour === 'problem') return { ...response, problem: { code: 'BAD_RANGE', hints: { pages: 2 } } }
  if (behaviour === 'bug') {
    return { ...response, error: { name: 'TypeError', message: 'no such thing', stack: 'there' } }
  }
  await BEHAVIOURS[behaviour]?.()
  return response
}

const BEHAVIOURS: Record<string, () => unknown> = {
  spin() {
    for (;;);
  },
  exit: () => process.exit(0),
  hoard() {
    const hoard: string[][] = []
    for (;;) hoard.push(Array.from({ length: 1e5 }, (_, index) => `${index}`))
  },
  /** Each of these asks for so much memory in one piece that V8 cannot refuse it: it would end the process. */
  fill() {
    const all: object[][] = []
    for (;;) all.push(new Array(3e6).fill({}))
  },
  spread() {
    for (let list: number[] = [1]; ; ) list = [...list, ...list]
  },
  async late() {
    setTimeout(() => {
      throw new Error('too late')
    }, 5)
    await new Promise(resolve => setTimeout(resolve, 2000))
  },
}
