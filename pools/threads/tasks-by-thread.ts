/** Memory that all threads share: where a task runs is written by its thread and read by the main thread. */
const SIZE = 4096

export class TasksByThread {
  readonly buffer: SharedArrayBuffer
  readonly #threads: Int32Array

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(SIZE * Int32Array.BYTES_PER_ELEMENT)) {
    this.buffer = buffer
    this.#threads = new Int32Array(buffer)
  }

  set(runId: number, threadId: number): void {
    Atomics.store(this.#threads, runId % SIZE, threadId)
  }

  /** The thread of a task; 0 if it has not begun. */
  get(runId: number): number {
    return Atomics.load(this.#threads, runId % SIZE)
  }
}
