import { parentPort, workerData } from 'node:worker_threads'
import { replyWith } from '../../../ops/process/threads.ts'

/** A thread that answers what it was sent as soon as its gate is open. */
const gate = new Int32Array(workerData as SharedArrayBuffer)
parentPort!.on('message', (request: string) => {
  parentPort!.postMessage(
    replyWith(() => {
      Atomics.wait(gate, 0, 0)
      return request
    }),
  )
})
