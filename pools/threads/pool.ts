import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import { Problem } from '#kit'
import { trace } from '../../ops/tracing/trace.ts'
import type { JobContext } from '../job-context.ts'
import { ToolCrashed } from '../tool-crashed.ts'
import type { ProgressMessage, ThreadData, ThreadRequest, ThreadResponse } from './entry.ts'
import { TasksByThread } from './tasks-by-thread.ts'

const ENTRY_PATH = fileURLToPath(new URL('./entry.ts', import.meta.url))
/** A thread that holds more after its task is replaced: the memory is leaked or a cache that grew too large. */
const RECYCLE_BYTES = 256 * 2 ** 20
/** A thread whose task uses more is ended. */
const HEAP_MB = 512
/**
 * V8's own limit. Memory that a thread asks for in one piece beyond it ends the whole process, not the thread, so tasks are
 * watched and ended long before.
 */
const ABORT_MB = 2_000
/** Tasks that take less cannot use much. */
const WATCH_AFTER_MS = 50
const WATCH_INTERVAL_MS = 50
const IDLE_MS = 60_000
/** The slots of the lane limit how many run at once; this only limits the damage of a bug. */
const MAX_THREADS = 256

type Work = { kind: 'operation'; operation: string; input: unknown } | ToolWork
type ToolWork = Omit<ThreadRequest & { kind: 'tool' }, 'runId' | 'context'>

type OnProgress = (done: number, total: number, unit: string) => void

/** Runs JavaScript and wasm in threads. A thread that exceeds its deadline is ended, one that grew too large replaced. */
export class Threads {
  recycled = 0
  readonly #pool: Piscina
  readonly #progress = new Map<number, OnProgress>()
  readonly #tasks = new TasksByThread()
  #lastRunId = 0

  constructor(codeFolder: string, entryPath: string = ENTRY_PATH) {
    this.#pool = new Piscina({
      filename: entryPath,
      minThreads: 1,
      maxThreads: MAX_THREADS,
      idleTimeout: IDLE_MS,
      // Decision 0621: let threads read compiled code first.
      env: { NODE_COMPILE_CACHE: codeFolder },
      workerData: { tasks: this.#tasks.buffer } satisfies ThreadData,
      resourceLimits: { maxOldGenerationSizeMb: ABORT_MB, stackSizeMb: 4 },
      recordTiming: false,
      loadBalancer: ({ name }, workers) => {
        const retiring = parseRetireTask(name)
        if (retiring !== undefined) return workers.find(({ id }) => id === retiring) ?? null
        return workers.find(({ currentUsage }) => currentUsage === 0) ?? null
      },
    })
    this.#pool.on('message', ({ runId, done, total, unit }: ProgressMessage) =>
      this.#progress.get(runId)?.(done, total, unit),
    )
    // A thread that dies between tasks has no job to fail; the pool replaces it.
    this.#pool.on('error', () => {})
  }

  get size(): number {
    return this.#pool.threads.length
  }

  async run(context: JobContext, work: Work, onProgress?: OnProgress): Promise<unknown> {
    const leftMs = context.deadlineMs - performance.now()
    const { jobId, folder, limitSeconds } = context
    const describeLimit = () => new Problem('TIME_LIMIT_EXCEEDED', { limitSeconds })
    if (leftMs <= 0) throw describeLimit()
    const runId = ++this.#lastRunId
    const exceeded = new AbortController()
    const timer = setTimeout(() => exceeded.abort(describeLimit()), leftMs)
    const stopWatching = this.#watchMemory(runId, exceeded)
    if (onProgress) this.#progress.set(runId, onProgress)
    try {
      const request = { ...work, runId, context: { jobId, folder, limitSeconds, leftMs } } as ThreadRequest
      const signal = AbortSignal.any([context.signal, exceeded.signal])
      const name = work.kind === 'operation' ? work.operation : `${work.tool}.${work.method}`
      const answer: ThreadResponse = await trace(`thread ${name}`, undefined, async () =>
        this.#pool.run(request, { signal }),
      )
      return this.#unwrap(answer)
    } catch (error) {
      context.signal.throwIfAborted()
      exceeded.signal.throwIfAborted()
      throw toRunError(error)
    } finally {
      clearTimeout(timer)
      stopWatching()
      this.#progress.delete(runId)
    }
  }

  async close(): Promise<void> {
    await this.#pool.destroy()
  }

  /** Aborts a task when its thread uses too much memory. Returns how to stop watching. */
  #watchMemory(runId: number, exceeded: AbortController): () => void {
    this.#tasks.set(runId, 0)
    const look = async () => {
      const threadId = this.#tasks.get(runId)
      const thread = threadId === 0 ? undefined : this.#pool.threads.find(each => each.threadId === threadId)
      const heap = await thread?.getHeapStatistics().catch(() => undefined)
      const isExceeded = (heap?.used_heap_size ?? 0) > HEAP_MB * 2 ** 20
      if (isExceeded) exceeded.abort(new Problem('MEMORY_LIMIT_EXCEEDED', { limitMb: HEAP_MB }))
      else if (!isStopped) timer = setTimeout(() => void look(), WATCH_INTERVAL_MS)
    }
    let isStopped = false
    let timer = setTimeout(() => void look(), WATCH_AFTER_MS)
    return () => {
      isStopped = true
      clearTimeout(timer)
    }
  }

  #unwrap(answer: ThreadResponse): unknown {
    if (answer.heapBytes > RECYCLE_BYTES) this.#retire(answer.threadId)
    if (answer.problem) throw Problem.from(answer.problem)
    if (answer.error) throw new ThreadError(answer.error)
    return answer.value
  }

  /** The pool cannot end one idle thread, but it ends the thread of an aborted task: so give it a task and abort that. */
  #retire(threadId: number): void {
    this.recycled += 1
    const end = new AbortController()
    this.#pool.run(null, { name: `${RETIRE_PREFIX}${threadId}`, signal: end.signal }).catch(() => {})
    end.abort()
  }
}

const RETIRE_PREFIX = 'retire-thread-'

function parseRetireTask(name: string): number | undefined {
  return name.startsWith(RETIRE_PREFIX) ? Number(name.slice(RETIRE_PREFIX.length)) : undefined
}

/** An error that our own code threw in a thread, with the stack it had there. */
class ThreadError extends Error {
  constructor({ name, message, stack }: NonNullable<ThreadResponse['error']>) {
    super(message)
    this.name = name
    if (stack !== undefined) this.stack = stack
  }
}

function toRunError(error: unknown): unknown {
  if (error instanceof Problem || error instanceof ThreadError) return error
  const { code, message } = error as { code?: string; message: string }
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') return new Problem('MEMORY_LIMIT_EXCEEDED', { limitMb: HEAP_MB })
  return new ToolCrashed('thread', message)
}
