import type { WorkerEvents } from 'graphile-worker'
import type { Lane } from '#kit'

/** graphile-worker's own subscription is on its way then, and a connection takes one query at a time. */
const LISTEN_AFTER_MS = 100

/**
 * graphile-worker announces new jobs on one channel for all schemas of a database. Each of our announcements follows
 * one that names its lane, by the same backend; those of other lanes are made to say that there is nothing new.
 */
export function hearOwnLaneOnly(events: WorkerEvents, lane: Lane): void {
  const announced = new Map<number, string>()
  events.on('pool:listen:success', ({ client }) => {
    announced.clear()
    setTimeout(() => void client.query('listen job_lane').catch(() => undefined), LISTEN_AFTER_MS).unref()
  })
  events.on('pool:listen:notification', ({ message }) => {
    if (message.channel === 'job_lane') announced.set(message.processId, message.payload ?? '')
    if (message.channel !== 'jobs:insert') return
    const named = announced.get(message.processId)
    announced.delete(message.processId)
    if (named !== undefined && named !== lane) message.payload = '{"count":0}'
  })
}
