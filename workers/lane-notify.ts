import type { WorkerEvents } from 'graphile-worker'
import type { Lane } from '#kit'

/** By then graphile-worker has sent its own subscription; a connection takes one query at a time. */
const LISTEN_AFTER_MS = 100

/**
 * graphile-worker notifies of new jobs on one channel for all schemas of a database. Before each of these notifications
 * the same backend sends one of ours that names the lane. Notifications for other lanes are changed to say that there
 * are no new jobs, so that this lane's runner does not search its queue for nothing.
 */
export function ignoreOtherLanes(events: WorkerEvents, lane: Lane): void {
  const lanesByBackend = new Map<number, string>()
  events.on('pool:listen:success', ({ client }) => {
    lanesByBackend.clear()
    setTimeout(() => void client.query('listen job_lane').catch(() => undefined), LISTEN_AFTER_MS).unref()
  })
  events.on('pool:listen:notification', ({ message }) => {
    if (message.channel === 'job_lane') lanesByBackend.set(message.processId, message.payload ?? '')
    if (message.channel !== 'jobs:insert') return
    const announcedLane = lanesByBackend.get(message.processId)
    lanesByBackend.delete(message.processId)
    if (announcedLane !== undefined && announcedLane !== lane) message.payload = '{"count":0}'
  })
}
