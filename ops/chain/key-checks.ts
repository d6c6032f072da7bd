import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { isSignedByKey } from './signature.ts'

/** One question: did the key behind this address sign these 32 bytes? */
export interface KeyCheck {
  address: string
  digest: Uint8Array
  signature: string
}

interface Waiting extends KeyCheck {
  resolve(isSigned: boolean): void
}

/**
 * Checks signatures beside the main thread, because the curve takes longer than all else an api does for a small call.
 * The questions of one turn go over together; a thread that dies leaves them to the main one.
 */
export class KeyChecks {
  readonly #threads: (Thread | undefined)[]
  #waiting: Waiting[] = []
  #turn = 0

  constructor(threads: number = Math.max(1, Math.floor(availableParallelism() / 4))) {
    this.#threads = Array.from({ length: threads })
  }

  isSigned(check: KeyCheck): Promise<boolean> {
    return new Promise(resolve => {
      if (this.#waiting.length === 0) setImmediate(() => this.#send())
      this.#waiting.push({ ...check, resolve })
    })
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map(async thread => thread?.worker.terminate()))
  }

  #send(): void {
    const batch = this.#waiting
    this.#waiting = []
    const index = this.#turn++ % this.#threads.length
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
      for (const [place, waiting] of thread.sent.shift()!.entries()) waiting.resolve(answers[place]!)
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
  /** In the order in which they were sent, which is that of the answers. */
  sent: Waiting[][]
}
