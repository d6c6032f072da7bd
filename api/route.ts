import type { Static, TSchema } from 'typebox'
import {
  type AuthMode,
  CALL_OPTIONS,
  type Example,
  type Price,
  type ProblemCode,
  type ProblemForm,
  withProperties,
} from '#kit'
import type { ApiContext } from './context.ts'
import type { IncomingCall } from './incoming-call.ts'
import type { Caller } from './intake/identity/caller.ts'
import type { AnswerSink } from './intake/reply/sink.ts'
import type { Scope } from './oauth/scopes.ts'

/** What a handler is given: the caller, the validated input, and request and reply for those that need them. */
interface RouteRequest<P, Q, B, H, C> {
  /** Undefined only if the route's `auth` includes `none` and the caller is anonymous. */
  caller: Caller
  params: P
  query: Q
  headers: H
  body: B
  request: IncomingCall
  reply: AnswerSink
  /** The job of a priced call, which a handler that `settles` ends itself. */
  job: RouteJob | undefined
  /** What `receive` has made of the body. */
  content: C
}

/** The job under which a priced call is booked, and what it is charged. */
export interface RouteJob {
  id: string
  accountId: string
  startedAt: Date
  chargeMicros: bigint
}

/** What a priced call is about, before it is paid for. */
interface PricedRequest<P, B, H> {
  caller: Caller | undefined
  request: IncomingCall
  params: P
  headers: H
  body: B
}

/** The body of a priced call that is a stream: received when it is known that the caller can pay, and before that. */
export interface StreamedContent<C = unknown> {
  value: C
  /** Tells it from the body of another call. */
  digest: string | Buffer
  /** Gives back what it takes, when the call is over. */
  release(): Promise<void> | void
}

interface RouteDeclaration<P extends TSchema, Q extends TSchema, B extends TSchema, H extends TSchema, C> {
  /** `GET /v1/jobs/{id}`; a last segment `*` matches the rest of the path. */
  at: `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`
  summary: string
  /** Other words for what it does, as a caller may search for them. */
  keywords?: string
  description?: string
  auth: readonly AuthMode[]
  /** What it needs in this process, such as the router; where that is missing, a priced call is refused before any charge. */
  needs?: readonly string[]
  /** What of that a body needs, if not every one needs all of it. */
  needsOf?(body: Static<B>): readonly string[]
  /** It only serves payments by x402, and is unavailable where none are taken. */
  servesPayments?: boolean
  params?: P
  query?: Q
  /** The request headers that it reads, by the names that documents show. */
  headers?: H
  body?: B
  /** An absent body counts as `{}`. */
  bodyOptional?: boolean
  /** A body that is an array counts as an object with it in this field. */
  arrayField?: string
  /** The body stays bytes in `request.body`, because its signature covers them. */
  rawBody?: boolean
  /** The body, JSON or any bytes, stays a stream in `request.body`, because the handler decides how much of it is read. */
  streamBody?: 'json' | 'bytes'
  /** The handler reads the Authorization header itself; it holds no account key. */
  ownAuth?: boolean
  reply: { status: number; schema?: TSchema; contentType?: string; dryRun?: TSchema }
  /** With a price the call is billed as an operation is: held before `handle`, charged after it; without one it is free. */
  price?: Price<Static<B>>
  /** The units of the price, if they follow from settings or from what is stored. A call of no units is free. */
  countUnits?(asked: PricedRequest<Static<P>, Static<B>, Static<H>>, context: ApiContext): Promise<number> | number
  /** What it costs in micros, if that is no whole number of units. A call of none is free. */
  quote?(asked: PricedRequest<Static<P>, Static<B>, Static<H>>, context: ApiContext): Promise<bigint> | bigint
  /** The answer to a dry run, which is asked for by the header `X-Dry-Run`. */
  showPrice?(amountMicros: bigint, asked: { headers: Static<H> }): object
  /** Takes the body of a priced call with `streamBody`. */
  receive?(
    asked: { caller: Caller; request: IncomingCall; headers: Static<H> },
    context: ApiContext,
  ): Promise<StreamedContent<C>>
  /** What a call was charged, as its result says, where that may be less than what was held. */
  readCharge?(result: unknown): bigint
  /** How long its handler may take, if that is longer than what most do. */
  limitSeconds?: number
  /** Its handler ends the job, in the transaction that does the work: neither happens without the other. */
  settles?: boolean
  /** Adds to the result what is never stored. It is applied to every answer, also to one that is repeated. */
  reveal?(result: unknown, context: ApiContext, asked: { headers: Static<H> }): unknown
  /** Further headers of every answer with a result. */
  describeResult?(result: unknown): Record<string, string>
  errors: readonly ProblemCode[]
  /** How its problems are written, if not as those of other calls. */
  problemForm?: ProblemForm
  examples?: readonly Example[]
  /** Its name as an MCP tool, if it is not `<family>_<file name>`; false if it is no tool. */
  tool?: string | false
  /** What a connector must be approved for to use it as a tool, if it is not what `findScope` says. */
  connectorScope?: Scope
  /** It is among the tools that an MCP client is shown first. */
  isFeatured?: boolean
  /** Not listed in the surfaces, for internal machines only. */
  hidden?: boolean
  /** Returns the body; `undefined` if the handler has replied itself. */
  handle(
    asked: RouteRequest<Static<P>, Static<Q>, Static<B>, Static<H>, C>,
    context: ApiContext,
  ): Promise<unknown> | unknown
}

export type Route = RouteDeclaration<TSchema, TSchema, TSchema, TSchema, unknown>

/** Declares a route; a file under api/routes default-exports it. */
export function route<
  P extends TSchema = TSchema,
  Q extends TSchema = TSchema,
  B extends TSchema = TSchema,
  H extends TSchema = TSchema,
  C = undefined,
>(declaration: RouteDeclaration<P, Q, B, H, C>): Route {
  const { price, body, streamBody } = declaration
  const priced = price && body && !streamBody && { body: withProperties(body, { dryRun: CALL_OPTIONS.dryRun }) }
  return { ...declaration, ...priced } as unknown as Route
}
