import type { Lane } from './lane.ts'
import type { PlainRates } from './price.ts'

/** A job as a worker receives it, with what the operator had set of its price at the time of the call. */
export interface JobPayload extends PlainRates {
  id: string
  accountId: string
  operation: string
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
}

/** A baton that a call delivers its output to. Its parts are as the database knows them. */
export interface Delivery {
  batonId: string
  isLog: boolean
  /** What is charged if the output is delivered: the price of a new baton, else 0. */
  chargeMicros: string
  /** Who writes to the baton that there is. */
  by?: object
  /** The baton that is created with the output. */
  create?: NewBaton
}

interface NewBaton {
  durationSeconds: string
  spec: object
}

export interface CallOptions {
  filename?: string
  inlineOutput?: 'auto' | 'never'
}
