import { Problem } from '#kit'
import type { WorkerKind, WorkerProcess } from './worker-kind.ts'

export interface Call<Session> {
  work(session: Session): Promise<unknown>
  /** Whose call it is, if that is known. */
  accountId: string | undefined
  /** Set when its process ended or exceeded the memory limit with other calls in flight, to find out which is to blame. */
  runsAlone: boolean
  /** How long its process may run for it, if that is less than the kind allows. For one call in flight. */
  maxRunSeconds: number | undefined
  /** How long the process has waited for a processor since it took the call. */
  readWaitedMs(): number
  resolve(result: unknown): void
  reject(error: unknown): void
}

export type Work<Session, Result> = (session: Session) => Promise<Result>

export function createCall<Session, Result>(
  work: Work<Session, Result>,
  { accountId }: { accountId?: string },
  maxRunSeconds: number | undefined,
): { call: Call<Session>; promise: Promise<Result> } {
  const { promise, resolve, reject } = Promise.withResolvers<Result>()
  const settle = resolve as (result: unknown) => void
  const call = { work, accountId, maxRunSeconds, runsAlone: false, readWaitedMs: () => 0, resolve: settle, reject }
  return { call, promise }
}

/** One process of a pool and what the pool knows of it. */
export class Worker<Session> {
  readonly process: WorkerProcess
  readonly folderName: string
  readonly calls = new Set<Call<Session>>()
  /** Absent while the process starts. */
  session: Session | undefined
  /** The only account whose calls it takes, if it ran what that account wrote. */
  accountId: string | undefined
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

  /** Whether it is kept for nothing but another call of its account. */
  get isReserved(): boolean {
    return this.isIdle && this.accountId !== undefined
  }

  get isIdle(): boolean {
    return this.isOpen && !this.isResetting && this.calls.size === 0
  }

  canTake(call: Call<Session>, callsInFlight: number): boolean {
    const maxCalls = call.runsAlone ? 1 : callsInFlight
    const isFree = this.isOpen && !this.isResetting && this.calls.size < maxCalls
    const isAllowed = this.accountId === undefined || this.accountId === call.accountId
    return isFree && isAllowed && ![...this.calls].some(({ runsAlone }) => runsAlone)
  }

  take(call: Call<Session>, { callSeconds }: Pick<WorkerKind<Session>, 'callSeconds'>): void {
    this.calls.add(call)
    this.process.ref()
    const waitedBeforeMs = this.waitedMs
    call.readWaitedMs = () => this.waitedMs - waitedBeforeMs
    const isLimited = callSeconds !== undefined || call.maxRunSeconds !== undefined
    if (isLimited) this.#ranBeforeMs = this.process.readRunningMs?.() ?? 0
  }

  finishCall(): void {
    this.finishedCalls += 1
    this.memoryBytes = this.process.reportedBytes || this.memoryBytes
    this.idleSinceMs = performance.now()
    if (this.calls.size === 0) this.process.unref()
  }

  /** Whether it takes no other call after one of an account. */
  isSpent({ maxCalls, recycleMb }: Pick<WorkerKind<Session>, 'maxCalls' | 'recycleMb'>, accountId?: string): boolean {
    const { reuse } = this.process
    const isLost = reuse === 'nobody' || (reuse === 'same-account' && accountId === undefined)
    return isLost || this.finishedCalls >= maxCalls || this.memoryBytes > recycleMb * 2 ** 20
  }

  /** Why the process must not go on with its calls. */
  findExcess({ memoryMb, callSeconds }: Pick<WorkerKind<Session>, 'memoryMb' | 'callSeconds'>): Problem | undefined {
    if (this.calls.size === 0) return undefined
    if (this.measure() > memoryMb * 2 ** 20) return new Problem('MEMORY_LIMIT_EXCEEDED', { limitMb: memoryMb })
    const limits = [callSeconds, ...[...this.calls].map(call => call.maxRunSeconds)].filter(
      limit => limit !== undefined,
    )
    if (limits.length === 0) return undefined
    const limitSeconds = Math.min(...limits)
    const ranMs = (this.process.readRunningMs?.() ?? 0) - this.#ranBeforeMs
    return ranMs > limitSeconds * 1000 ? new Problem('TIME_LIMIT_EXCEEDED', { limitSeconds }) : undefined
  }

  measureWaiting(): void {
    this.waitedMs = Math.max(this.waitedMs, this.process.readWaitingMs?.() ?? 0)
  }

  measure(): number {
    this.memoryBytes = this.process.readMemoryBytes() || this.process.reportedBytes || this.memoryBytes
    return this.memoryBytes
  }
}
