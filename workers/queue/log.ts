import { Logger as QueueLogger } from 'graphile-worker'
import type { Logger } from '../../ops/log.ts'

/** What graphile-worker logs, among the lines of the worker. */
export function openQueueLog(log: Logger): QueueLogger {
  return new QueueLogger(scope => (level, message) => {
    const facts = { queue: scope.workerId ?? scope.label, text: message }
    // A lane needs no more connections than it has: it fetches and completes many jobs at a time.
    if (message.includes('maxPoolSize')) return
    if (level === 'error') log.error(facts, 'queue')
    else if (level === 'warning') log.warn(facts, 'queue')
    else log.debug(facts, 'queue')
  })
}
