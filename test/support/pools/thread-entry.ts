import { threadId } from 'node:worker_threads'
import type { ThreadRequest, ThreadResponse } from '../../../pools/threads/entry.ts'

/** An entry point for threads that behaves as its first argument demands, to test how the pool reacts. */
export default async function runRequest(request: ThreadRequest): Promise<ThreadResponse> {
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
  async late() {
    setTimeout(() => {
      throw new Error('too late')
    }, 5)
    await new Promise(resolve => setTimeout(resolve, 2000))
  },
}
