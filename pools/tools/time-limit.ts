import { Problem } from '#kit'
import type { HostContext } from '../host-context.ts'

/** Gives parts of a run deadlines of their own. One part runs at a time, and nothing of the job beside it. */
export function bind(context: HostContext) {
  return {
    run: <Value>(seconds: number, work: () => Promise<Value>) => runWithin(context, seconds, work),
  }
}

/** All tools of a job read the deadline of its context. What they wait for processors moves it, and so the job's. */
async function runWithin<Value>(context: HostContext, seconds: number, work: () => Promise<Value>): Promise<Value> {
  const jobDeadlineMs = context.deadlineMs
  const partDeadlineMs = performance.now() + seconds * 1000
  if (partDeadlineMs >= jobDeadlineMs) return work()
  context.deadlineMs = partDeadlineMs
  try {
    return await work()
  } catch (error) {
    const isLate = error instanceof Problem && error.code === 'TIME_LIMIT_EXCEEDED'
    throw isLate ? new Problem('TIME_LIMIT_EXCEEDED', { limitSeconds: seconds }) : error
  } finally {
    context.deadlineMs += jobDeadlineMs - partDeadlineMs
  }
}
