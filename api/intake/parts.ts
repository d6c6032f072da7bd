import type { Delivery, DrawnSource } from '#kit'
import type { Db } from '../../sql/db.ts'
import type { ApiContext } from '../context.ts'
import type { IncomingCall } from '../incoming-call.ts'
import type { Billable } from './billable.ts'
import type { Caller } from './identity/caller.ts'

/** A call as far as it matters to the files that its body names. */
export interface SourceCall {
  /** Undefined for a call that is free. */
  readonly billable: Billable | undefined
  readonly caller: Caller | undefined
  readonly request: IncomingCall
}

/** The same of a call that may be billed. */
export interface NamingCall extends SourceCall {
  readonly billable: Billable
}

/** Content that a product keeps: small content is in the database, other in the object store. */
export interface KeptContent {
  drawn: Omit<DrawnSource, 'field'>
  sizeBytes: number
  bytes?: Buffer
  key?: string
}

/** What a body may name in place of the bytes of a file. */
export interface SourceKind {
  /** The field that names it. */
  readonly field: string
  /** The fields that only go with it. */
  readonly companions: readonly string[]
  /** Finds what the caller could read now; nothing is drawn. */
  find(context: ApiContext, call: SourceCall, source: Readonly<Record<string, unknown>>): Promise<KeptContent>
  /** Draws the sources of a job, once for all its attempts. They are kept until `until`. */
  draw(db: Db, jobId: string, until: Date, sources: readonly DrawnSource[]): Promise<void>
}

/** Where a body may send the output. */
export interface DeliveryKind {
  /** The fields of `deliver` that say so. */
  readonly fields: readonly string[]
  /** Checks all that can be known of it before the call is paid for, and says what it costs. */
  plan(context: ApiContext, call: NamingCall, deliver: Readonly<Record<string, unknown>>): Promise<Delivery>
}

/** Completes the fields of a call whose body names what a product keeps. */
export type Completion = (
  context: ApiContext,
  caller: Caller | undefined,
  fields: Record<string, unknown>,
) => Promise<Record<string, unknown>>

/** Checks all that can be known of it before the call is paid for, and says what it costs. */
export type Plan = (context: ApiContext, call: NamingCall, fields: Record<string, unknown>) => Promise<Delivery>

/** What can be paid for a call, as the protocol says it. */
export interface OfferedTerms {
  readonly scheme: string
  readonly network: string
  readonly asset: string
  readonly payTo: string
  readonly amount: string
}

/** Signs what is offered and what was paid, as extensions of x402, so that a payer can prove it to others. */
export interface PaymentProofs {
  /** Opens the key that signs, or the next one. Without it nothing is signed. */
  refresh(): Promise<void>
  signOffers(resourceUrl: string, terms: readonly OfferedTerms[]): object | undefined
  signReceipt(resourceUrl: string, payment: { network: string; payer: string }): object | undefined
}

/** What a product adds to the calls of all operations; the intake knows no more of products. */
export interface CallParts {
  readonly sources?: readonly SourceKind[]
  readonly deliveries?: readonly DeliveryKind[]
  /** Says where the result of an operation goes, as its body tells, by the name of the operation. */
  readonly plans?: Readonly<Record<string, Plan>>
  /** By the name of the operation. */
  readonly completions?: Readonly<Record<string, Completion>>
  readonly proofs?: PaymentProofs
}

/** Of all products. */
type JoinedCallParts = Required<Omit<CallParts, 'proofs'>> & Pick<CallParts, 'proofs'>

declare module '../context.ts' {
  interface ProductParts {
    calls: JoinedCallParts
  }
}

export function joinCallParts(parts: readonly CallParts[]): JoinedCallParts {
  return {
    sources: parts.flatMap(({ sources = [] }) => sources),
    deliveries: parts.flatMap(({ deliveries = [] }) => deliveries),
    plans: Object.assign({}, ...parts.map(({ plans }) => plans)) as Record<string, Plan>,
    completions: Object.assign({}, ...parts.map(({ completions }) => completions)) as Record<string, Completion>,
    proofs: parts.find(({ proofs }) => proofs)?.proofs,
  }
}
