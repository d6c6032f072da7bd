import type { SandboxLevel } from '../programs/sandbox.ts'
import type { PauseOptions } from './start-pause.ts'

/** A process that ran what a caller wrote may be under that caller's control: it sees nothing of other accounts. */
export type Reuse = 'anyone' | 'same-account' | 'nobody'

/** A confined child process that a pool keeps and gives calls to. */
export interface WorkerProcess {
  /** Resolves when the process has ended, with what it left on stderr. */
  readonly ended: Promise<string>
  /** What the process last reported of its own memory, if it does so. */
  readonly reportedBytes?: number
  /** Whose calls it may still take after those in flight. */
  readonly reuse?: Reuse
  /** The memory of the process and all it started, read from the system; 0 where that is not possible. */
  readMemoryBytes(): number
  /** How long its most delayed thread has waited for a processor since it started; 0 where that cannot be read. */
  readWaitingMs?(): number
  /** How long its busiest thread has run since it started; 0 where that cannot be read. */
  readRunningMs?(): number
  /** Makes this process wait for the child before it exits. */
  ref(): void
  unref(): void
  kill(): void
}

interface WorkerPlace {
  level: SandboxLevel
  folder: string
  /** How many starts failed in a row before this one. */
  failedStarts: number
}

/** How the processes of one pool are started, spoken to and replaced. */
export interface WorkerKind<Session> {
  /** The tool that a crash names. */
  name: string
  folderPrefix: string
  callsInFlight: number
  /** After this many calls a process is replaced. */
  maxCalls: number
  /** A process with more memory than this while it works is killed, and its call fails. */
  memoryMb: number
  /** A process that has run for longer than this on one call is killed, and its call fails. For one call in flight. */
  callSeconds?: number
  /** A process with more memory than this after a call is replaced. */
  recycleMb: number
  /** Its allocations fail at a limit, so an abort means that the call needed more. */
  abortsOutOfMemory?: boolean
  /** Starts another process when one may not be used by everyone any more, so that the next call need not wait. */
  replacesSpent?: boolean
  /** Pools of it come and go, so one without processes is forgotten when another is opened. */
  isTransient?: boolean
  /** A process that had no call for this long is ended. */
  maxIdleMs: number
  /** How long a start may take; a program that loads much takes longer on a busy machine. */
  startTimeoutMs?: number
  /** How long after its deadline a call may still answer before its process is killed. */
  graceMs: number
  /** What counts as a successful start: engines are loaded by the first call, and can still fail then. */
  startProvenBy: 'opening' | 'first-call'
  /** Which waiting calls a failed start fails; the others wait for the next start. */
  failedStartFails: 'first-in-queue' | 'whole-queue'
  /** After failed starts, calls are refused for so long before one more start is tried. */
  pause?: PauseOptions
  /** Starts a process; `opened` resolves when it takes calls. */
  start(place: WorkerPlace): { process: WorkerProcess; opened: Promise<Session> }
  /** Removes what the last call left, before the process takes the next one. */
  reset?(session: Session): Promise<void>
  /** Whether a process is still usable after a call that failed with `error`. */
  isUsableAfter(error: unknown): boolean
}

export interface WorkerStats {
  processes: number
  rssBytes: number
  recycled: number
  crashed: number
}
