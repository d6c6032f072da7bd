import { parentPort, workerData } from 'node:worker_threads'
import { pause, ReconnectingClient } from '../../sql/connection.ts'
import type { HeartbeatEvent } from './start.ts'

const BEAT_MS = 2_000
/** A worker that was silent for this long is considered dead by the others. */
const SILENCE_SECONDS = 15
/** A worker without a heartbeat for this long must assume that the others consider it dead. */
const LOST_MS = 12_000

/** After this many beats, and then every so many, locks of pools that belong to no worker are looked for as well. */
const FIRST_THOROUGH_BEAT = 6
const THOROUGH_BEATS = 60

const { url, workerId } = workerData as { url: string; workerId: string }
const connection = new ReconnectingClient(url, 'heartbeat', {
  translate: error => {
    throw error
  },
})
let lastBeat = performance.now()
let isLost = false
let poolIds: string[] = []

parentPort!.on('message', (current: string[]) => {
  poolIds = current
})

/** Checked by a timer of its own, because a query to a database that hangs never returns. */
setInterval(() => {
  if (isLost || performance.now() - lastBeat <= LOST_MS) return
  isLost = true
  report({ kind: 'lost' })
}, 500)

for (let beats = 0; ; beats++) {
  const startedAt = performance.now()
  try {
    const [row] = await connection.query<{ beat: { rescued: string[]; expired: number; known: boolean } }>({
      text: 'select worker.beat($1, $2, $3, $4) as beat',
      values: [workerId, SILENCE_SECONDS, poolIds, beats % THOROUGH_BEATS === FIRST_THOROUGH_BEAT],
    })
    const { rescued, expired, known } = row!.beat
    lastBeat = performance.now()
    isLost = false
    report({ kind: 'beat', rescued, expired, isKnown: known })
  } catch {
    // The next heartbeat may succeed; the timer above notices if none does.
  }
  await pause(Math.max(100, BEAT_MS - (performance.now() - startedAt)))
}

function report(event: HeartbeatEvent): void {
  parentPort!.postMessage(event)
}
