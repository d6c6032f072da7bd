import { parentPort } from 'node:worker_threads'
import { isSignedByKey } from './signature.ts'

parentPort!.on('message', (checks: [address: string, digest: Uint8Array, signature: string][]) => {
  parentPort!.postMessage(checks.map(check => isSignedByKey(...check)))
})
