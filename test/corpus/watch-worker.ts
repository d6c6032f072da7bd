import { readFileSync } from 'node:fs'
import type { Stack } from '../../ops/bench/stack.ts'
import { isAlive } from '../support/machine/processes.ts'
import type { Call } from './ask.ts'

const CHECK_INTERVAL_MS = 500
const LOG_TAIL_CHARS = 600

/** Reports every worker that dies, with the calls in progress, and starts another one. */
export function watchWorker(stack: Stack, inProgress: ReadonlySet<Call>, report: (text: string) => void): Disposable {
  const reportedPids = new Set<number>()
  const timer = setInterval(() => {
    const { pid } = stack.workers.at(-1)!
    if (reportedPids.has(pid) || isAlive(pid)) return
    reportedPids.add(pid)
    const calls = [...inProgress].map(({ operation, sample }) => `${operation.name} ${sample.name}`)
    const logTail = readFileSync(stack.logPath, 'utf8').slice(-LOG_TAIL_CHARS)
    report(`worker ${pid} died during ${calls.join(', ')}: ${logTail}`)
    stack.addWorker().catch((error: Error) => report(`cannot start another worker: ${error.message}`))
  }, CHECK_INTERVAL_MS)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
