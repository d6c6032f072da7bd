/** What a tool knows of the job it works for: its own folder, its end, and how to say how far it is. */
export interface JobRoom {
  readonly jobId: string
  /** The job's private folder, mode 0700, removed when the job ends. */
  readonly folder: string
  readonly signal: AbortSignal
  /** When the job must be over, on the monotonic clock of `performance.now()`. */
  readonly deadlineMs: number
  out(name: string): string
}
