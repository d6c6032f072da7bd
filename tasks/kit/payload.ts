/** A file on its way to a worker: small ones ride along, larger ones lie in the object store. */
export interface StagedFile {
  key?: string
  /** Base64 of the bytes. */
  inline?: string
  type: string
  sizeBytes: number
  name?: string
  sha256?: string
}

/** What a worker gets of a job. */
export interface Payload {
  id: string
  accountId: string
  operation: string
  /** The validated input with staged files in place of sources and sealed secrets in place of secrets. */
  input: unknown
  options: CallOptions
  heldMicros: string
  /** The operator's price of a unit at the time of the call, where there is one. */
  rateMicros?: string
  /** Only checks and the price. */
  isDryRun?: boolean
  limitSeconds: number
  /** Milliseconds of the epoch. */
  createdAt: number
  deadlineAt: number
}

export interface CallOptions {
  filename?: string
  inlineOutput?: 'auto' | 'never'
}

/** An output as the job row keeps it; the door makes the envelope of it. */
export interface StoredOutput {
  key: string
  sizeBytes: number
  contentType: string
  name: string
  [fact: string]: unknown
}
