import { Problem } from '#kit'
import type { Database } from './database.ts'

const INTERRUPT_EVERY_MS = 250
/** How long a query may take to notice that it was interrupted. */
const GRACE_MS = 500

/** Interrupts the queries when the time is over, and gives up waiting for them soon after. */
export function raceWithLimit<Value>(database: Database, work: Promise<Value>, limitMs: number) {
  const late = Promise.withResolvers<never>()
  let hasEnded = false
  let isLate = false
  let interrupting: NodeJS.Timeout | undefined
  const timer = setTimeout(() => {
    // An interrupt is lost if it comes between two queries.
    const startedMs = performance.now()
    interrupting = setInterval(() => {
      if (hasEnded) return
      database.interrupt()
      if (performance.now() - startedMs < GRACE_MS) return
      isLate = true
      late.reject(new Problem('TIME_LIMIT_EXCEEDED', { limitMs }))
    }, INTERRUPT_EVERY_MS)
    database.interrupt()
  }, limitMs)
  const settled = Promise.race([work, late.promise]).finally(() => {
    hasEnded = true
    clearTimeout(timer)
    clearInterval(interrupting)
  })
  work.catch(() => undefined)
  return { work: settled, isLate: () => isLate }
}
