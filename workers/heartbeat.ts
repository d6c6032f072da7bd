import { Worker } from 'node:worker_threads'

/** What the thread tells: a beat with what it led to, or that none has come through for too long. */
export type Pulse = { kind: 'beat'; rescued: string[]; expired: number; isKnown: boolean } | { kind: 'lost' }

export interface Heartbeat {
  stop(): Promise<void>
}

/** Beats from a thread of its own, so that no load on this one can make others believe the worker dead. */
export function startHeartbeat(options: { url: string; workerId: string; onPulse: (pulse: Pulse) => void }): Heartbeat {
  const { url, workerId, onPulse } = options
  const thread = new Worker(new URL('./heartbeat-thread.ts', import.meta.url), { workerData: { url, workerId } })
  thread.on('message', onPulse)
  thread.on('error', () => onPulse({ kind: 'lost' }))
  thread.unref()
  return {
    stop: async () => {
      await thread.terminate()
    },
  }
}
