import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { isSignedByKey } from './signature.ts'

/** Did the key of this address sign these 32 bytes? */
interface KeyCheck {
  address: string
  digest: Uint8Array
  signature: string
}

interface PendingCheck extends KeyCheck {
  resolve(isSigned: boolean): void
}

/**
 * Checks signatures in threads, because recovering a key takes longer than the rest of a small call. The checks of one
 * event loop turn are sent together; those of a thread that dies are done in the main thread.
 */
export class KeyCheckPool {
  readonly #threads: (Thread | undefined)[]
  #pending: PendingCheck[] = []
  #nextThread = 0

  constructor(threads: number = Math.max(1, Math.floor(availableParallelism() / 4))) {
    this.#threads = Array.from({ length: threads })
  }

  isSigned(check: KeyCheck): Promise<boolean> {
    return new Promise(resolve => {
      if (this.#pending.length === 0) setImmediate(() => this.#send())
      this.#pending.push({ ...check, resolve })
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
    thread.worker.postMessage(batch.map(({ address, digest, signature }) => [address, digest, signature]))
  }

  #start(index: number): Thread {
    const worker = new Worker(new URL('key-checks-thread.ts', import.meta.url))
    const thread: Thread = { worker, sent: [] }
    this.#threads[index] = thread
    worker.unref()
    worker.on('message', (answers: boolean[]) => {
      for (const [position, check] of thread.sent.shift()!.entries()) check.resolve(answers[position]!)
    })
    worker.on('error', () => undefined)
    worker.on('exit', () => {
      if (this.#threads[index] === thread) this.#threads[index] = undefined
      for (const { address, digest, signature, resolve } of thread.sent.splice(0).flat())
        resolve(isSignedByKey(address, digest, signature))
    })
    return thread
  }
}

interface Thread {
  worker: Worker
  /** Batches in the order in which they were sent; the answers arrive in the same order. */
  sent: PendingCheck[][]
}
