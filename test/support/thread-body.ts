import { threadId } from 'node:worker_threads'
import type { Answer, Order } from '../../pools/thread.ts'

/** A thread that does what it is told, so that the pool's answer to each mischief can be seen. */
export default async function work(order: Order): Promise<Answer> {
  const [mischief] = (order as { args?: unknown[] }).args as [string]
  const answer: Answer = { value: threadId, threadId, heapBytes: mischief === 'grow' ? 2 ** 40 : 0 }
  if (mischief === 'problem') return { ...answer, problem: { code: 'BAD_RANGE', hints: { pages: 2 } } }
  if (mischief === 'bug') return { ...answer, bug: { name: 'TypeError', message: 'no such thing', stack: 'there' } }
  await MISCHIEF[mischief]?.()
  return answer
}

const MISCHIEF: Record<string, () => unknown> = {
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
