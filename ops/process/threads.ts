import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { Problem, type ProblemData } from '#kit'

const MAX_WAITING = 100
const LIMIT_MS = 10_000
/** A thread that only waits uses no processor time, so the clock ends it. */
const LONGEST_MS = 60_000
const LEAST_PAUSE_MS = 100

/** What a thread answers: an answer, an expected failure, or an error as text, because errors lose their class on the way. */
type ThreadReply<Answer> = { answer: Answer } | { problem: ProblemData } | { error: string }

interface Task<Request, Answer> {
  request: Request
  signal: AbortSignal
  resolve(answer: Answer): void
  reject(error: unknown): void
}

interface Thread<Request, Answer> {
  worker: Worker
  task?: Task<Request, Answer>
  timer?: NodeJS.Timeout
  isLost?: boolean
}

/** Threads of this process for one kind of work. Each does one task at a time; one that takes too long is ended. */
export class Threads<Request, Answer> {
  readonly #file: URL
  readonly #data: unknown
  readonly #size: number
  readonly #idle: Thread<Request, Answer>[] = []
  readonly #waiting: Task<Request, Answer>[] = []
  #count = 0
  #isClosed = false

  /** Each thread runs `file` and has `data` as its `workerData`. */
  constructor(file: URL, data?: unknown, size: number = Math.max(1, Math.floor(availableParallelism() / 2))) {
    this.#file = file
    this.#data = data
    this.#size = size
  }

  perform(request: Request, signal: AbortSignal): Promise<Answer> {
    if (this.#waiting.length >= MAX_WAITING) throw new Problem('BUSY', { retryAfterSeconds: 1 })
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, signal, resolve, reject })
      this.#next()
    })
  }

  /** What was asked for is still done; the threads end when there is nothing left. */
  close(): void {
    this.#isClosed = true
    for (const thread of this.#idle.splice(0)) this.#end(thread)
  }

  #next(): void {
    while (this.#waiting.length > 0) {
      const thread = this.#idle.pop() ?? (this.#count < this.#size ? this.#start() : undefined)
      if (!thread) return
      const task = this.#waiting.shift()!
      if (task.signal.aborted) {
        task.reject(new Problem('BUSY', { retryAfterSeconds: 1 }))
        this.#idle.push(thread)
      } else this.#run(thread, task)
    }
    if (this.#isClosed) for (const thread of this.#idle.splice(0)) this.#end(thread)
  }

  #start(): Thread<Request, Answer> {
    const worker = new Worker(this.#file, { workerData: this.#data })
    const thread: Thread<Request, Answer> = { worker }
    worker.unref()
    worker.on('message', (reply: ThreadReply<Answer>) =>
      this.#finish(thread, ({ resolve, reject }) => settleReply(reply, resolve, reject)),
    )
    worker.on('error', error => this.#lose(thread, error))
    worker.on('exit', code => this.#lose(thread, new Error(`a thread ended with code ${code}`)))
    this.#count += 1
    return thread
  }

  #run(thread: Thread<Request, Answer>, task: Task<Request, Answer>): void {
    thread.task = task
    this.#endAfter(LIMIT_MS, thread, { startedMs: performance.now(), used: process.cpuUsage() })
    thread.worker.postMessage(task.request)
  }

  /** While this process has had less processor time than the limit it was stopped, or others had their turn. */
  #endAfter(ms: number, thread: Thread<Request, Answer>, start: { startedMs: number; used: NodeJS.CpuUsage }): void {
    thread.timer = setTimeout(() => {
      const { user, system } = process.cpuUsage(start.used)
      const leftMs = LIMIT_MS - (user + system) / 1_000
      const isOver = leftMs <= 0 || performance.now() - start.startedMs > LONGEST_MS
      if (isOver) this.#lose(thread, new Problem('TIME_LIMIT_EXCEEDED', { limitMs: LIMIT_MS }))
      else this.#endAfter(Math.max(leftMs, LEAST_PAUSE_MS), thread, start)
    }, ms)
  }

  #finish(thread: Thread<Request, Answer>, settle: (task: Task<Request, Answer>) => void): void {
    const { task } = thread
    clearTimeout(thread.timer)
    thread.task = undefined
    if (thread.isLost) return
    this.#idle.push(thread)
    if (task) settle(task)
    this.#next()
  }

  /** A thread that failed, or worked for too long, is ended; the next task gets another one. */
  #lose(thread: Thread<Request, Answer>, error: Error): void {
    if (thread.isLost) return
    clearTimeout(thread.timer)
    const at = this.#idle.indexOf(thread)
    if (at >= 0) this.#idle.splice(at, 1)
    this.#end(thread)
    thread.task?.reject(error)
    this.#next()
  }

  #end(thread: Thread<Request, Answer>): void {
    thread.isLost = true
    this.#count -= 1
    void thread.worker.terminate()
  }
}

function settleReply<Answer>(
  reply: ThreadReply<Answer>,
  resolve: (answer: Answer) => void,
  reject: (error: unknown) => void,
): void {
  if ('answer' in reply) resolve(reply.answer)
  else if ('problem' in reply) reject(Problem.from(reply.problem))
  else reject(new Error(reply.error))
}

/** Does the work of a thread, and makes a reply of what comes of it. */
export function replyWith<Answer>(work: () => Answer): ThreadReply<Answer> {
  try {
    return { answer: work() }
  } catch (error) {
    return error instanceof Problem ? { problem: error.toData() } : { error: (error as Error).stack ?? String(error) }
  }
}
