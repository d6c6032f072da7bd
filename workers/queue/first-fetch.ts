import type { WorkerEvents } from 'graphile-worker'

/** What a fetch may take at most: its connection and its query have less together. */
const LIMIT_MS = 35_000

/**
 * Calls `onLost` if the first fetch of a runner fails: graphile-worker reads the ids of its tasks then, and keeps a failed reading
 * for good, so that every later fetch fails too, without a line in the log. A queue that is fetched ahead tells of no failure.
 */
export function watchFirstFetch(events: WorkerEvents, onLost: (error: unknown) => void): void {
  let isOver = false
  const end = () => {
    isOver = true
    clearTimeout(timer)
  }
  const lose = (error: unknown) => {
    if (isOver) return
    end()
    onLost(error)
  }
  const timer = setTimeout(() => lose(new Error('The first fetch has not ended.')), LIMIT_MS)
  timer.unref()
  events.on('worker:getJob:error', ({ error }) => lose(error))
  for (const success of ['worker:getJob:empty', 'job:start', 'localQueue:getJobs:complete'] as const)
    events.once(success, end)
}
