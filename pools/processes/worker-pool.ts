import { setTimeout as sleep } from 'node:timers/promises'
import { Problem } from '#kit'
import type { Folders } from '../folders.ts'
import type { JobContext } from '../job-context.ts'
import type { SandboxLevel } from '../programs/sandbox.ts'
import { describeEnd, ToolCrashed, ToolLost } from '../tool-crashed.ts'
import { MAX_STRETCH } from './child.ts'
import { countProcesses, findFreeWorker, listReserved } from './choose-worker.ts'
import { explainEnd } from './explain-end.ts'
import { StartedTooLate, StartPause } from './start-pause.ts'
import { withTimeout } from './with-timeout.ts'
import { type Call, createCall, type Work, Worker } from './worker.ts'
import type { WorkerKind, WorkerStats } from './worker-kind.ts'

const START_TIMEOUT_MS = 20_000
const RESET_TIMEOUT_MS = 5000
const WATCH_INTERVAL_MS = 250
const MAX_BACK_OFF_MS = 30_000
/** A process that only one account may use is not kept for longer without a call. */
const MAX_RESERVED_MS = 10_000

/**
 * Keeps confined child processes of one kind: starts them when calls wait, hands out the calls, and replaces processes
 * that are old, too large, late or dead.
 */
export class WorkerPool<Session> {
  readonly #kind: WorkerKind<Session>
  readonly #level: SandboxLevel
  readonly #folders: Folders
  readonly #workers = new Set<Worker<Session>>()
  readonly #queue: Call<Session>[] = []
  readonly #watch: NodeJS.Timeout
  #size: number
  #lastWorkerId = 0
  #starting = 0
  #failedStarts = 0
  #recycled = 0
  #crashed = 0
  #isClosed = false
  readonly #pause: StartPause

  constructor(kind: WorkerKind<Session>, level: SandboxLevel, folders: Folders, concurrency: number) {
    this.#kind = kind
    this.#level = level
    this.#folders = folders
    this.#pause = new StartPause(kind.name, kind.pause)
    this.#size = countProcesses(concurrency, this.#kind)
    this.#watch = setInterval(() => this.#checkWorkers(), WATCH_INTERVAL_MS).unref()
  }

  /** Whether nothing is lost if it is closed and opened again. */
  get isForgettable(): boolean {
    return this.#kind.isTransient === true && this.#workers.size + this.#starting + this.#queue.length === 0
  }

  /**
   * Runs `work` with a process until the job's deadline, which moves by the time that it waits for a processor. A process
   * that is late, or has run for `maxRunSeconds`, is killed; its other calls start again, so `work` may run repeatedly.
   */
  async run<Result>(context: JobContext, work: Work<Session, Result>, maxRunSeconds?: number): Promise<Result> {
    const { signal } = context
    signal.throwIfAborted()
    if (this.#isClosed) throw this.#closedError()
    this.#refuseWhilePaused()
    const { call, promise } = createCall(work, context, maxRunSeconds)
    const startedMs = performance.now()
    const stopWatching = this.#watchDeadline(call, context, startedMs)
    const cancel = () => this.#abandon(call, signal.reason)
    signal.addEventListener('abort', cancel, { once: true })
    this.#queue.push(call)
    this.#dispatch()
    try {
      return await promise
    } finally {
      stopWatching()
      signal.removeEventListener('abort', cancel)
      context.deadlineMs += Math.min(call.readWaitedMs(), performance.now() - startedMs)
    }
  }

  /** While no process can be started, and none runs. The start that is tried after a pause is for no call. */
  #refuseWhilePaused(): void {
    if (!this.#pause.isOn || [...this.#workers].some(({ isOpen }) => isOpen)) return
    if (this.#pause.isOver && this.#starting === 0) void this.#spawn({ isSpare: true })
    throw this.#pause.createProblem()
  }

  #watchDeadline(call: Call<Session>, { deadlineMs, limitSeconds }: JobContext, startedMs: number): () => void {
    const leftMs = Math.max(0, deadlineMs - startedMs)
    const check = () => {
      for (const worker of this.#workers) if (worker.calls.has(call)) worker.measureWaiting()
      const allowedMs = Math.min(leftMs + call.readWaitedMs(), MAX_STRETCH * leftMs) + this.#kind.graceMs
      const remainingMs = startedMs + allowedMs - performance.now()
      if (remainingMs > 1) timer = setTimeout(check, remainingMs)
      else this.#abandon(call, new Problem('TIME_LIMIT_EXCEEDED', { limitSeconds }))
    }
    let timer = setTimeout(check, leftMs + this.#kind.graceMs)
    return () => clearTimeout(timer)
  }

  resize(concurrency: number): void {
    this.#size = countProcesses(concurrency, this.#kind)
    const shared = [...this.#workers].filter(({ isReserved }) => !isReserved)
    for (const worker of [...shared.slice(this.#size), ...listReserved(this.#workers)]) this.#retire(worker)
    this.#dispatch()
  }

  stats(): WorkerStats {
    const rssBytes = [...this.#workers].reduce((sum, worker) => sum + worker.measure(), 0)
    return { processes: this.#workers.size, rssBytes, recycled: this.#recycled, crashed: this.#crashed }
  }

  close(): void {
    this.#isClosed = true
    clearInterval(this.#watch)
    for (const worker of this.#workers) this.#evict(worker)
    for (const call of this.#queue.splice(0)) call.reject(this.#closedError())
  }

  #closedError(): ToolCrashed {
    return new ToolLost(this.#kind.name, 'the pool was closed')
  }

  #dispatch(): void {
    if (this.#isClosed) return
    const [{ callsInFlight }, processes] = [this.#kind, this.#size]
    for (const call of [...this.#queue]) {
      const worker = findFreeWorker(call, this.#workers, { callsInFlight, processes })
      if (!worker) continue
      this.#queue.splice(this.#queue.indexOf(call), 1)
      void this.#perform(call, worker)
    }
    const open = [...this.#workers].filter(({ isOpen, isReserved }) => isOpen && !isReserved)
    const soonFree = open.filter(({ isResetting }) => isResetting).length
    while (this.#queue.length > soonFree + this.#starting && open.length + this.#starting < this.#size) {
      void this.#spawn()
    }
  }

  async #perform(call: Call<Session>, worker: Worker<Session>): Promise<void> {
    worker.take(call, this.#kind)
    const attempt = await call.work(worker.session!).then(
      result => ({ isUsable: true, settle: () => call.resolve(result) }),
      error => ({ isUsable: this.#kind.isUsableAfter(error), settle: () => call.reject(error) }),
    )
    // Otherwise the worker was evicted, and the call has failed or runs again elsewhere.
    if (!worker.calls.delete(call)) return
    attempt.settle()
    this.#release(worker, call, attempt.isUsable)
  }

  #release(worker: Worker<Session>, call: Call<Session>, isUsable: boolean): void {
    worker.finishCall()
    if (this.#kind.startProvenBy === 'first-call') this.#failedStarts = 0
    if (isUsable) this.#keep(worker, call)
    else this.#evict(worker)
    this.#dispatch()
  }

  #keep(worker: Worker<Session>, { accountId }: Call<Session>): void {
    const { reset, replacesSpent } = this.#kind
    const { reuse = 'anyone' } = worker.process
    const wasShared = worker.accountId === undefined
    if (worker.isRetiring) this.#retire(worker)
    else if (worker.isSpent(this.#kind, accountId)) this.#recycle(worker)
    else if (reuse === 'same-account') this.#reserve(worker, accountId!)
    else if (reset) void this.#reset(worker)
    if (wasShared && reuse !== 'anyone' && replacesSpent) void this.#spawn({ isSpare: true })
  }

  #recycle(worker: Worker<Session>): void {
    this.#recycled += 1
    this.#retire(worker)
  }

  /** Keeps a process for the next call of its account, and no more of them than may work at once. */
  #reserve(worker: Worker<Session>, accountId: string): void {
    worker.accountId = accountId
    const [oldest, ...others] = listReserved(this.#workers)
    if (oldest && others.length >= this.#size) this.#recycle(oldest)
  }

  async #reset(worker: Worker<Session>): Promise<void> {
    worker.isResetting = true
    try {
      await withTimeout(this.#kind.reset!(worker.session!), RESET_TIMEOUT_MS)
      worker.isResetting = false
      worker.idleSinceMs = performance.now()
      this.#dispatch()
    } catch {
      this.#evict(worker)
    }
  }

  async #spawn({ isSpare = false } = {}): Promise<void> {
    this.#starting += 1
    const startedMs = performance.now()
    try {
      if (this.#failedStarts > 0 && !this.#kind.pause)
        await sleep(Math.min(MAX_BACK_OFF_MS, 100 * 2 ** this.#failedStarts), null, { ref: false })
      if (this.#queue.length > 0 || isSpare) await this.#start()
    } catch (error) {
      this.#failQueue(error, performance.now() - startedMs)
    } finally {
      this.#starting -= 1
    }
    this.#dispatch()
  }

  #failQueue(error: unknown, tookMs: number): void {
    const problem = this.#pause.noteFailure(error, tookMs)
    const failsAll = problem || this.#kind.failedStartFails === 'whole-queue'
    const failed = failsAll ? this.#queue.length : this.#pause.allowsAnotherStart ? 0 : 1
    for (const call of this.#queue.splice(0, failed)) call.reject(problem ?? error)
  }

  async #start(): Promise<void> {
    const { name, folderPrefix, startProvenBy, startTimeoutMs = START_TIMEOUT_MS } = this.#kind
    const folderName = `${folderPrefix}-${++this.#lastWorkerId}`
    const folder = await this.#folders.open(folderName)
    if (this.#isClosed) return
    const place = { level: this.#level, folder, failedStarts: this.#failedStarts }
    const { process, opened } = this.#kind.start(place)
    const worker = new Worker<Session>(process, folderName)
    this.#workers.add(worker)
    process.ref()
    void process.ended.then(detail => this.#onExit(worker, detail))
    const ended = process.ended.then(detail => Promise.reject(describeEnd(name, detail)))
    try {
      worker.session = await Promise.race([withTimeout(opened, startTimeoutMs), ended])
      worker.idleSinceMs = performance.now()
      if (startProvenBy === 'opening') this.#failedStarts = 0
      this.#pause.noteSuccess()
      process.unref()
    } catch (error) {
      if (worker.isRetiring || this.#isClosed) return
      this.#failedStarts += 1
      this.#evict(worker)
      throw error instanceof ToolCrashed ? error : new StartedTooLate(name, (error as Error).message)
    }
  }

  #onExit(worker: Worker<Session>, detail: string): void {
    if (!this.#workers.has(worker)) return
    this.#crashed += 1
    const isProven = this.#kind.startProvenBy === 'opening' || worker.finishedCalls > 0
    if (worker.session && !isProven) this.#failedStarts += 1
    this.#failOnlyCall(worker, explainEnd(this.#kind, detail))
  }

  /** Fails a call that is late or cancelled. A process that works on it cannot be stopped otherwise and is killed. */
  #abandon(call: Call<Session>, reason: unknown): void {
    call.reject(reason)
    const queued = this.#queue.indexOf(call)
    if (queued >= 0) this.#queue.splice(queued, 1)
    const worker = [...this.#workers].find(({ calls }) => calls.has(call))
    if (!worker) return
    worker.calls.delete(call)
    this.#evict(worker)
  }

  #checkWorkers(): void {
    for (const worker of this.#workers) {
      const maxIdleMs = worker.isReserved ? MAX_RESERVED_MS : this.#kind.maxIdleMs
      if (worker.calls.size > 0) worker.measureWaiting()
      const excess = worker.findExcess(this.#kind)
      if (excess) this.#failOnlyCall(worker, excess)
      if (worker.isIdle && performance.now() - worker.idleSinceMs > maxIdleMs) this.#evict(worker)
    }
  }

  /** Ends a process. Of several calls each runs again, alone, so that only the one to blame for it fails. */
  #failOnlyCall(worker: Worker<Session>, reason: Error): void {
    const [call, ...others] = worker.calls
    if (call && others.length === 0) {
      call.reject(reason)
      worker.calls.clear()
    }
    for (const each of worker.calls) each.runsAlone = true
    this.#evict(worker)
  }

  #retire(worker: Worker<Session>): void {
    worker.isRetiring = true
    if (worker.calls.size === 0) this.#evict(worker)
  }

  /** Kills a process. The calls it still has start again elsewhere. */
  #evict(worker: Worker<Session>): void {
    if (!this.#workers.delete(worker)) return
    this.#queue.unshift(...worker.calls)
    worker.calls.clear()
    worker.process.kill()
    void worker.process.ended.then(() => this.#folders.close(worker.folderName)).catch(() => undefined)
    this.#dispatch()
  }
}
