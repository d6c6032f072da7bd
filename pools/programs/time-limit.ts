import { MAX_STRETCH } from '../processes/child.ts'

/** Calls `stop` when a program is late, unless it is late because it waited for a processor. */
export function limitTime(timeoutMs: number, readWaitedMs: () => number, stop: () => void) {
  const limit = { timedOut: false, extendedMs: 0, stop: () => clearTimeout(timer) }
  const check = () => {
    const waitedMs = Math.min(readWaitedMs(), (MAX_STRETCH - 1) * timeoutMs)
    const remainingMs = waitedMs - limit.extendedMs
    limit.extendedMs = Math.max(waitedMs, limit.extendedMs)
    if (remainingMs >= 1) {
      timer = setTimeout(check, remainingMs)
      return
    }
    limit.timedOut = true
    stop()
  }
  let timer = setTimeout(check, timeoutMs)
  return limit
}
