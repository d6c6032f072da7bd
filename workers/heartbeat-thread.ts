import { parentPort, workerData } from 'node:worker_threads'
import { Line, pause } from '../sql/line.ts'
import type { Pulse } from './heartbeat.ts'

const BEAT_MS = 2_000
/** A worker silent for so long is taken for dead by the others. */
const SILENCE_SECONDS = 10
/** A worker that could not say it lives for so long must take itself for dead. */
const LOST_MS = 8_000

const { url, workerId } = workerData as { url: string; workerId: string }
const line = new Line(url, 'heartbeat')
let lastBeat = performance.now()
let isLost = false

/** Apart from the beats: of a database that hangs, none ever comes back to say so. */
setInterval(() => {
  if (isLost || performance.now() - lastBeat <= LOST_MS) return
  isLost = true
  tell({ kind: 'lost' })
}, 500)

for (;;) {
  const begun = performance.now()
  try {
    const [row] = await line.query<{ beat: { rescued: string[]; expired: number; known: boolean } }>({
      text: 'select worker.beat($1, $2) as beat',
      values: [workerId, SILENCE_SECONDS],
    })
    const { rescued, expired, known } = row!.beat
    lastBeat = performance.now()
    isLost = false
    tell({ kind: 'beat', rescued, expired, isKnown: known })
  } catch {
    // The next beat may come through; that none does is noticed apart from them.
  }
  await pause(Math.max(100, BEAT_MS - (performance.now() - begun)))
}

function tell(pulse: Pulse): void {
  parentPort!.postMessage(pulse)
}
