import { readFileSync } from 'node:fs'
import type { Stack } from '../../ops/bench/stack.ts'
import { isAlive } from '../support/processes.ts'
import type { Call } from './ask.ts'

const LOOK_EVERY_MS = 500
const LAST_WORDS = 600

/** Tells of every worker that dies, with what was under way, and starts another in its place. */
export function watchWorker(stack: Stack, underWay: ReadonlySet<Call>, tell: (text: string) => void): Disposable {
  const mourned = new Set<number>()
  const timer = setInterval(() => {
    const { pid } = stack.workers.at(-1)!
    if (mourned.has(pid) || isAlive(pid)) return
    mourned.add(pid)
    const calls = [...underWay].map(({ operation, sample }) => `${operation.name} ${sample.name}`)
    const said = readFileSync(stack.logPath, 'utf8').slice(-LAST_WORDS)
    tell(`worker ${pid} died while at ${calls.join(', ')}: ${said}`)
    stack.addWorker().catch((error: Error) => tell(`no other worker: ${error.message}`))
  }, LOOK_EVERY_MS)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
