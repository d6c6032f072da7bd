/** How long a call to a provider may take. */
export interface CallLimits {
  signal: AbortSignal
  /** On the clock of `performance.now()`. */
  deadlineMs: number
}
