import { join } from 'node:path'

/** What a tool knows of the job it works for: its folder, its deadline and how it is cancelled. */
export interface JobContext {
  readonly jobId: string
  /** Whose job it is. Without it, a process that ran what the caller wrote takes no other call. */
  readonly accountId?: string
  /** The job's private folder, mode 0700, removed when the job ends. */
  readonly folder: string
  readonly signal: AbortSignal
  /** The deadline on the clock of `performance.now()` of this thread. Time spent waiting for a processor moves it. */
  deadlineMs: number
  readonly limitSeconds: number
  out(name: string): string
}

export function resolveFileName(folder: string, name: string): string {
  if (name.includes('/') || name.startsWith('.')) throw new Error(`not a plain file name: ${name}`)
  return join(folder, name)
}
