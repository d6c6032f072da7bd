import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { parseKeySignature } from './key-signature.ts'

/** Did the key of this address sign these 32 bytes? */
interface KeyCheck {
  address: string
  digest: Uint8Array
  signature: string
}

interface PendingCheck {
  bytes: Buffer
  resolve(isSigned: boolean): void
  reject(error: unknown): void
}

/**
 * Checks signatures in threads, because recovering a key takes as long as the rest of a small call. The checks of one
 * event loop turn are sent together; those of a thread that dies are done in the main thread.
 */
export class KeyCheckPool {
  readonly #threads: (Thread | undefined)[]
  #pending: PendingCheck[] = []
  #nextThread = 0

  constructor(threads: number = Math.max(1, Math.floor(availableParallelism() / 4))) {
    this.#threads = Array.from({ length: threads })
  }

  async isSigned(check: KeyCheck): Promise<boolean> {
    const bytes = encodeCheck(check)
    if (!bytes) return false
    return new Promise((resolve, reject) => {
      if (this.#pending.length === 0) setImmediate(() => this.#send())
      this.#pending.push({ bytes, resolve, reject })
    })
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map(async thread => thread?.worker.terminate()))
  }

  #send(): void {
    const batch = this.#pending
    this.#pending = []
    const index = this.#nextThread++ % this.#threads.length
    const thread = this.#threads[index] ?? this.#start(index)
    thread.sent.push(batch)
    thread.worker.postMessage(batch.length === 1 ? batch[0]!.bytes : Buffer.concat(batch.map(({ bytes }) => bytes)))
  }

  #start(index: number): Thread {
    const worker = new Worker(new URL('key-checks-thread.ts', import.meta.url))
    const thread: Thread = { worker, sent: [] }
    this.#threads[index] = thread
    worker.unref()
    worker.on('message', (answers: Uint8Array) => {
      for (const [position, check] of thread.sent.shift()!.entries()) check.resolve(answers[position] === 1)
    })
    worker.on('error', () => undefined)
    worker.on('exit', () => {
      if (this.#threads[index] === thread) this.#threads[index] = undefined
      void checkHere(thread.sent.splice(0).flat())
    })
    return thread
  }
}

/** The form that `isSignedByKey` reads, or undefined if no key can have made the signature. */
function encodeCheck({ address, digest, signature }: KeyCheck): Buffer | undefined {
  const parsed = parseKeySignature(signature)
  if (!parsed) return undefined
  const recoveryId = parsed.v === 27 ? '00' : '01'
  const hex = `${parsed.r.slice(2)}${parsed.s.slice(2)}${recoveryId}${address.slice(2)}`
  return Buffer.concat([digest, Buffer.from(hex, 'hex')])
}

/** The library is only loaded into this thread when it is needed here. */
async function checkHere(checks: readonly PendingCheck[]): Promise<void> {
  if (checks.length === 0) return
  const library = import('./recovery.ts')
  for (const { bytes, resolve, reject } of checks) {
    library.then(({ isSignedByKey }) => resolve(isSignedByKey(bytes))).catch(reject)
  }
}

interface Thread {
  worker: Worker
  /** Batches in the order in which they were sent; the answers arrive in the same order. */
  sent: PendingCheck[][]
}
