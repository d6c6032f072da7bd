/** What a worker gets of a job. */
export interface Payload {
  id: string
  accountId: string
  operation: string
  /** The validated input with staged files in place of sources and sealed secrets in place of secrets. */
  input: unknown
  /** How much there is to read, files and text together. */
  inputBytes: number
  options: CallOptions
  heldMicros: string
  /** The operator's price of a unit at the time of the call, where there is one. */
  rateMicros?: string
  /** Only checks and the price. */
  isDryRun?: boolean
  /** What the request brought is wanted again: only its price was asked. */
  keepsStaged?: true
  limitSeconds: number
  /** Milliseconds of the epoch. */
  createdAt: number
  deadlineAt: number
}

export interface CallOptions {
  filename?: string
  inlineOutput?: 'auto' | 'never'
}
