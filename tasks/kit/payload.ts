import type { Lane } from './lane.ts'
import type { PlainRates } from './price.ts'

/** A job as a worker receives it, with what the operator had set of its price at the time of the call. */
export interface JobPayload extends PlainRates {
  id: string
  accountId: string
  operation: string
  /** Which version of it took the call, if an operator has added it. */
  version?: string
  /** The validated input, with staged files instead of sources and sealed secrets instead of plain ones. */
  input: unknown
  /** Size of all files and text together. */
  inputBytes: number
  options: CallOptions
  heldMicros: string
  /** The caller was told that it is charged no more. */
  ceilingMicros?: string
  /** Where the output goes besides the answer. */
  delivery?: Delivery
  /** Only check the input and compute the price. */
  isDryRun?: boolean
  /** Keep the staged files after the job: only the price was asked for, and the call itself will need them. */
  keepsStaged?: true
  /** If it is not that of the operation's tools, because a provider serves one of them. */
  lane?: Lane
  limitSeconds: number
  /** Milliseconds since the epoch. */
  createdAt: number
  deadlineAt: number
  /** Where the trace of the call goes on, as the header `traceparent` of W3C; left out of what is not traced. */
  traceparent?: string
}

/** Where the output of a call goes besides its answer. */
export interface Delivery {
  /** The product that takes it. */
  to: string
  /** What is charged if the output is delivered. */
  chargeMicros: string
  /** What the product has planned. */
  plan: object
}

export interface CallOptions {
  filename?: string
  inlineOutput?: 'auto' | 'never'
}
