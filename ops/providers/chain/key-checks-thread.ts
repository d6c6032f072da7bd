import { parentPort } from 'node:worker_threads'
import { CHECK_BYTES, isSignedByKey } from './recovery.ts'

parentPort!.on('message', (checks: Uint8Array) => {
  const answers = new Uint8Array(checks.length / CHECK_BYTES)
  for (let index = 0; index < answers.length; index++) {
    const check = checks.subarray(index * CHECK_BYTES, (index + 1) * CHECK_BYTES)
    answers[index] = isSignedByKey(check) ? 1 : 0
  }
  parentPort!.postMessage(answers)
})
