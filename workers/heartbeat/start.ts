import { Worker } from 'node:worker_threads'

/** What the thread reports: a heartbeat and what it led to, or that none has succeeded for too long. */
export type HeartbeatEvent = { kind: 'beat'; rescued: string[]; expired: number; isKnown: boolean } | { kind: 'lost' }

interface Heartbeat {
  /** The pools that the worker has now; the next heartbeat reports them. */
  setPools(poolIds: string[]): void
  stop(): Promise<void>
}

/** Sends heartbeats from a thread of its own, so that load on the main thread does not make the worker look dead. */
export function startHeartbeat(options: {
  url: string
  workerId: string
  onEvent: (event: HeartbeatEvent) => void
}): Heartbeat {
  const { url, workerId, onEvent } = options
  const thread = new Worker(new URL('./thread.ts', import.meta.url), { workerData: { url, workerId } })
  thread.on('message', onEvent)
  thread.on('error', () => onEvent({ kind: 'lost' }))
  thread.unref()
  return {
    setPools: poolIds => thread.postMessage(poolIds),
    stop: async () => {
      await thread.terminate()
    },
  }
}
