import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import { Problem } from '#kit'
import type { JobRoom } from './job-room.ts'
import type { Answer, Order, ProgressNote } from './thread.ts'
import { ToolCrashed } from './tool-crashed.ts'

const BODY = fileURLToPath(new URL('./thread.ts', import.meta.url))
/** Above this a thread is replaced after its task: what it holds is leaked or a cache that grew too large. */
const RECYCLE_BYTES = 256 * 2 ** 20
const HEAP_MB = 512
const IDLE_MS = 60_000
/** How many run at once is decided by the lanes' slots; this only bounds a mistake. */
const MOST_THREADS = 256

export type Work = { kind: 'operation'; operation: string; input: unknown } | ToolWork
export type ToolWork = Omit<Order & { kind: 'tool' }, 'runId' | 'room'>

type OnProgress = (done: number, total: number, unit: string) => void

/** JavaScript and wasm in threads. A thread that is late is ended, one that grew is replaced. */
export class Threads {
  recycled = 0
  private readonly pool: Piscina
  private readonly progress = new Map<number, OnProgress>()
  private lastRun = 0

  constructor(compileCache: string, body: string = BODY) {
    this.pool = new Piscina({
      filename: body,
      minThreads: 1,
      maxThreads: MOST_THREADS,
      idleTimeout: IDLE_MS,
      env: {},
      workerData: { compileCache },
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, stackSizeMb: 4 },
      recordTiming: false,
      loadBalancer: ({ name }, workers) => {
        const retired = retiredThread(name)
        if (retired !== undefined) return workers.find(({ id }) => id === retired) ?? null
        return workers.find(({ currentUsage }) => currentUsage === 0) ?? null
      },
    })
    this.pool.on('message', ({ runId, done, total, unit }: ProgressNote) =>
      this.progress.get(runId)?.(done, total, unit),
    )
    // A thread that dies between tasks harms nobody; the pool replaces it.
    this.pool.on('error', () => {})
  }

  get size(): number {
    return this.pool.threads.length
  }

  async run(room: JobRoom, work: Work, onProgress?: OnProgress): Promise<unknown> {
    const leftMs = room.deadlineMs - performance.now()
    const late = new Problem('TIME_LIMIT_EXCEEDED', { limitSeconds: room.limitSeconds })
    if (leftMs <= 0) throw late
    const runId = ++this.lastRun
    const deadline = new AbortController()
    const timer = setTimeout(() => deadline.abort(), leftMs)
    const { jobId, folder, limitSeconds } = room
    if (onProgress) this.progress.set(runId, onProgress)
    try {
      const order = { ...work, runId, room: { jobId, folder, limitSeconds, leftMs } } as Order
      const answer: Answer = await this.pool.run(order, { signal: AbortSignal.any([room.signal, deadline.signal]) })
      return this.read(answer)
    } catch (error) {
      room.signal.throwIfAborted()
      throw deadline.signal.aborted ? late : asCrash(error)
    } finally {
      clearTimeout(timer)
      this.progress.delete(runId)
    }
  }

  async close(): Promise<void> {
    await this.pool.destroy()
  }

  private read(answer: Answer): unknown {
    if (answer.heapBytes > RECYCLE_BYTES) this.retire(answer.threadId)
    if (answer.problem) throw Problem.from(answer.problem)
    if (answer.bug) throw new ThreadBug(answer.bug)
    return answer.value
  }

  /** The pool cannot end one idle thread, but it ends the thread of an aborted task: this one is aborted at once. */
  private retire(threadId: number): void {
    this.recycled += 1
    const end = new AbortController()
    this.pool.run(null, { name: `${RETIRE}${threadId}`, signal: end.signal }).catch(() => {})
    end.abort()
  }
}

const RETIRE = 'retire-thread-'

function retiredThread(name: string): number | undefined {
  return name.startsWith(RETIRE) ? Number(name.slice(RETIRE.length)) : undefined
}

/** An error our own code threw in a thread, with the stack it had there. */
class ThreadBug extends Error {
  constructor({ name, message, stack }: NonNullable<Answer['bug']>) {
    super(message)
    this.name = name
    if (stack !== undefined) this.stack = stack
  }
}

function asCrash(error: unknown): unknown {
  if (error instanceof Problem || error instanceof ThreadBug) return error
  const { code, message } = error as { code?: string; message: string }
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') return new Problem('MEMORY_LIMIT_EXCEEDED', { limitMb: HEAP_MB })
  return new ToolCrashed('thread', message)
}
