import type { Daemons } from './daemons.ts'
import type { NativeChildren } from './native-children.ts'
import type { Outbound } from './outbound.ts'
import type { Programs } from './programs.ts'

/** What a tool knows of the job it works for: its own folder, its end, and how long it may take. */
export interface JobRoom {
  readonly jobId: string
  /** The job's private folder, mode 0700, removed when the job ends. */
  readonly folder: string
  readonly signal: AbortSignal
  /** When the job must be over, on the monotonic clock of `performance.now()` of this thread. */
  readonly deadlineMs: number
  readonly limitSeconds: number
  out(name: string): string
}

/** The room of a tool that runs on the worker's main loop and has programs, warm children and daemons at hand. */
export interface HostRoom extends JobRoom {
  readonly programs: Programs
  readonly children: NativeChildren
  readonly daemons: Daemons
  /** Where the operator allows calls to fetch from the web. */
  readonly outbound?: Outbound
}
