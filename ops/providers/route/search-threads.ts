import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { Problem } from '#kit'
import type { MatrixAnswer, RouteAnswer } from '../../../tasks/formats/roads/answer.ts'
import type { RoadGraph } from '../../../tasks/formats/roads/graph.ts'
import type { SearchReply, SearchRequest } from './search-thread.ts'

const MAX_WAITING = 100
const LIMIT_MS = 10_000

interface Search {
  request: SearchRequest
  signal: AbortSignal
  resolve(answer: RouteAnswer | MatrixAnswer): void
  reject(error: unknown): void
}

/** Threads that search one graph, which they share. Each does one search at a time; one that takes too long is ended. */
export class SearchThreads {
  readonly #graph: RoadGraph
  readonly #size: number
  readonly #idle: Thread[] = []
  readonly #waiting: Search[] = []
  #count = 0
  #isClosed = false

  constructor(graph: RoadGraph, size: number = Math.max(1, Math.floor(availableParallelism() / 2))) {
    this.#graph = graph
    this.#size = size
  }

  search(request: SearchRequest, signal: AbortSignal): Promise<RouteAnswer | MatrixAnswer> {
    if (this.#waiting.length >= MAX_WAITING) throw new Problem('BUSY', { retryAfterSeconds: 1 })
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, signal, resolve, reject })
      this.#next()
    })
  }

  /** What was asked for is still searched; the threads end when there is nothing left. */
  close(): void {
    this.#isClosed = true
    for (const thread of this.#idle.splice(0)) this.#end(thread)
  }

  #next(): void {
    while (this.#waiting.length > 0) {
      const thread = this.#idle.pop() ?? (this.#count < this.#size ? this.#start() : undefined)
      if (!thread) return
      const search = this.#waiting.shift()!
      if (search.signal.aborted) {
        search.reject(search.signal.reason)
        this.#idle.push(thread)
      } else this.#run(thread, search)
    }
    if (this.#isClosed) for (const thread of this.#idle.splice(0)) this.#end(thread)
  }

  #start(): Thread {
    const worker = new Worker(new URL('search-thread.ts', import.meta.url), { workerData: this.#graph })
    const thread: Thread = { worker }
    worker.unref()
    worker.on('message', (reply: SearchReply) =>
      this.#finish(thread, ({ resolve, reject }) => settleReply(reply, resolve, reject)),
    )
    worker.on('error', error => this.#lose(thread, error))
    worker.on('exit', code => this.#lose(thread, new Error(`a thread of the router ended with code ${code}`)))
    this.#count += 1
    return thread
  }

  #run(thread: Thread, search: Search): void {
    thread.search = search
    thread.timer = setTimeout(
      () => this.#lose(thread, new Problem('TIME_LIMIT_EXCEEDED', { limitMs: LIMIT_MS })),
      LIMIT_MS,
    )
    thread.worker.postMessage(search.request)
  }

  #finish(thread: Thread, settle: (search: Search) => void): void {
    const { search } = thread
    clearTimeout(thread.timer)
    thread.search = undefined
    if (thread.isLost) return
    this.#idle.push(thread)
    if (search) settle(search)
    this.#next()
  }

  /** A thread that failed, or searched for too long, is ended; the next search gets another one. */
  #lose(thread: Thread, error: Error): void {
    if (thread.isLost) return
    clearTimeout(thread.timer)
    const at = this.#idle.indexOf(thread)
    if (at >= 0) this.#idle.splice(at, 1)
    this.#end(thread)
    thread.search?.reject(error)
    this.#next()
  }

  #end(thread: Thread): void {
    thread.isLost = true
    this.#count -= 1
    void thread.worker.terminate()
  }
}

interface Thread {
  worker: Worker
  search?: Search
  timer?: NodeJS.Timeout
  isLost?: boolean
}

function settleReply(reply: SearchReply, resolve: Search['resolve'], reject: Search['reject']): void {
  if ('answer' in reply) resolve(reply.answer)
  else if ('problem' in reply) reject(Problem.from(reply.problem))
  else reject(new Error(reply.error))
}
