import type { CallOptions, Delivery, Rates, Tariff } from '#kit'
import type { Address, IncomingCall } from '../incoming-call.ts'
import type { Billable } from './billable.ts'
import type { ReceivedBody } from './body/receive.ts'
import type { StagedFiles } from './files/stage-files.ts'
import type { Caller } from './identity/caller.ts'
import type { Answer } from './reply/answer.ts'
import type { Funding } from './x402/funding.ts'
import type { Payment } from './x402/payments.ts'

/** What the `Prefer` header asks for: a ticket at once, and how long to wait before one is given. */
export interface Preference {
  isAsync: boolean
  /** From `wait=N`. With `respond-async` it means: queue the work and wait this long for it. */
  waitSeconds: number | undefined
}

/** A call after its headers are read. Each step of the intake returns a richer call and changes none it was given. */
export interface IdentifiedCall {
  /** The call's id, and its job's. */
  readonly id: string
  readonly billable: Billable
  readonly request: IncomingCall
  readonly address: Address
  /** Undefined for an anonymous call, which is only told its price. */
  readonly caller: Caller | undefined
  readonly payment: Payment | undefined
  readonly preference: Preference
  readonly idempotencyKey: string | undefined
  /** The most that it may cost, if it says so. */
  readonly limitMicros: bigint | undefined
  /** The largest input on which it may run in this process; 0 if its operation, the operator or the caller forbids it. */
  readonly instantBytes: number
  /** Removes the files stored so far at the end, unless a job has taken them over. */
  readonly temporaryFiles: AsyncDisposableStack
}

export type ReceivedCall = IdentifiedCall & Readonly<ReceivedBody>

export interface StagedCall extends ReceivedCall {
  readonly staged: StagedFiles
  readonly inputBytes: number
  readonly options: CallOptions
  readonly delivery: Delivery | undefined
  readonly isDryRun: boolean
  readonly isAsync: boolean
  readonly waitSeconds: number
}

export interface PricedCall extends StagedCall {
  readonly hold: Hold
  /** What was made of a body that is a stream. */
  readonly content?: unknown
}

export interface FundedCall extends PricedCall {
  readonly caller: Caller
  readonly idempotency: { key: string; fingerprint: Buffer } | undefined
  readonly funding: Funding
  /** Set when an earlier call with the same key already has the answer. */
  readonly answer: Answer | undefined
}

/** What is held for a call: the price if it is known, else the floor until a worker has probed the files. */
export interface Hold {
  /** With the price of what it is delivered to. */
  readonly amountMicros: bigint
  /** The most that the call can be charged. */
  readonly ceilingMicros: bigint
  /** Undefined while the price is not known. */
  readonly tariff: Tariff | undefined
  /** What the operator has set of the price. */
  readonly rates: Rates | undefined
}

/** What a call says besides the input of its operation. */
export interface CallFlags {
  options: CallOptions
  /** Where the output is to go besides the answer. */
  deliver: Record<string, unknown> | undefined
  isDryRun: boolean
  isAsync: boolean
  /** The input of the operation itself. */
  fields: Record<string, unknown>
}
