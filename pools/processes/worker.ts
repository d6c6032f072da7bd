import { Problem } from '#kit'
import type { WorkerKind, WorkerProcess } from './worker-kind.ts'

export interface Call<Session> {
  work(session: Session): Promise<unknown>
  /** Set when its process ended or exceeded the memory limit with other calls in flight, to find out which is to blame. */
  runsAlone: boolean
  /** How long the process has waited for a processor since it took the call. */
  readWaitedMs(): number
  resolve(result: unknown): void
  reject(error: unknown): void
}

/** One process of a pool and what the pool knows of it. */
export class Worker<Session> {
  readonly process: WorkerProcess
  readonly folderName: string
  readonly calls = new Set<Call<Session>>()
  /** Absent while the process starts. */
  session: Session | undefined
  finishedCalls = 0
  isResetting = false
  /** Takes no more calls and ends after those in flight. */
  isRetiring = false
  memoryBytes = 0
  /** As last measured, since the process started. */
  waitedMs = 0
  idleSinceMs = 0
  #ranBeforeMs = 0

  constructor(process: WorkerProcess, folderName: string) {
    this.process = process
    this.folderName = folderName
  }

  get isOpen(): boolean {
    return this.session !== undefined && !this.isRetiring
  }

  get isIdle(): boolean {
    return this.isOpen && !this.isResetting && this.calls.size === 0
  }

  canTake(call: Call<Session>, callsInFlight: number): boolean {
    const maxCalls = call.runsAlone ? 1 : callsInFlight
    const isFree = this.isOpen && !this.isResetting && this.calls.size < maxCalls
    return isFree && ![...this.calls].some(({ runsAlone }) => runsAlone)
  }

  take(call: Call<Session>): void {
    this.calls.add(call)
    this.process.ref()
    const waitedBeforeMs = this.waitedMs
    call.readWaitedMs = () => this.waitedMs - waitedBeforeMs
    this.#ranBeforeMs = this.process.readRunningMs?.() ?? 0
  }

  /** Why the process must not go on with its calls. */
  findExcess({ memoryMb, callSeconds }: Pick<WorkerKind<Session>, 'memoryMb' | 'callSeconds'>): Problem | undefined {
    if (this.calls.size === 0) return undefined
    if (this.measure() > memoryMb * 2 ** 20) return new Problem('MEMORY_LIMIT_EXCEEDED', { limitMb: memoryMb })
    if (callSeconds === undefined) return undefined
    const ranMs = (this.process.readRunningMs?.() ?? 0) - this.#ranBeforeMs
    return ranMs > callSeconds * 1000 ? new Problem('TIME_LIMIT_EXCEEDED', { limitSeconds: callSeconds }) : undefined
  }

  measureWaiting(): void {
    this.waitedMs = Math.max(this.waitedMs, this.process.readWaitingMs?.() ?? 0)
  }

  measure(): number {
    this.memoryBytes = this.process.readMemoryBytes() || this.process.reportedBytes || this.memoryBytes
    return this.memoryBytes
  }
}
