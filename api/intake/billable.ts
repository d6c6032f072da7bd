import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import type { AuthMode, Lane, Outcome, Price } from '#kit'
import { laneOf, selectTools } from '#kit'
import type { NamedOperation } from '../../tasks/index.ts'
import type { NamedRoute } from '../catalog.ts'
import type { ApiContext } from '../context.ts'
import type { RouteJob } from '../route.ts'
import type { Caller } from './identity/caller.ts'
import { validateText } from './validate.ts'

/** What a priced route's handler is given. */
interface RouteRun {
  caller: Caller
  body: unknown
  request: FastifyRequest
  reply: FastifyReply
  job: RouteJob
}

/** How the work is done: by an operation (in this process or on a worker), or by a route once the price is held. */
type Execution =
  | { kind: 'operation'; operation: NamedOperation; lane: Lane }
  | { kind: 'route'; settles: boolean; run(call: RouteRun, context: ApiContext): Promise<Outcome<unknown>> }

/** Anything with a price: an operation or a priced route, in the form the intake needs. */
export interface Billable {
  /** The service key in ledger and jobs. */
  name: string
  family: string
  price: Price<never>
  input: TSchema
  output: TSchema
  /** The HTTP status of its result. */
  status: number
  uses: NamedOperation['uses']
  optional?: NamedOperation['optional']
  /** What a route needs in the process of the api. */
  needs: readonly string[]
  alwaysTicket: boolean
  /** An absent body counts as `{}`. */
  isBodyOptional?: boolean
  limitSeconds: number | undefined
  execution: Execution
  /** Adds to its result what is never stored. */
  reveal?(result: unknown, context: ApiContext): unknown
  /** Checks what the request says beside its body. */
  checkRequest?(request: FastifyRequest): void
  /** The units of the price, if they follow from more than the body. */
  countUnits?(
    call: { request: FastifyRequest; caller: Caller | undefined; input: unknown },
    context: ApiContext,
  ): Promise<number>
}

/** Which tools some calls need is known once their body is. */
export function billableOperation(operation: NamedOperation, body?: unknown): Billable {
  const { name, family, price, input, output, wait, limitSeconds } = operation
  const { uses, optional } = selectTools(operation, body)
  const alwaysTicket = wait === 'ticket'
  const execution: Execution = { kind: 'operation', operation, lane: laneOf(uses) }
  return {
    name,
    family,
    price: price as Price<never>,
    input,
    output,
    status: 200,
    uses,
    optional,
    needs: [],
    alwaysTicket,
    limitSeconds,
    execution,
  }
}

type PricedRoute = NamedRoute & Required<Pick<NamedRoute, 'price' | 'body'>>

export function isPriced(route: NamedRoute): route is PricedRoute {
  return route.price !== undefined && route.body !== undefined
}

export function billableRoute(route: PricedRoute): Billable {
  const { name, family, price, body: input, reply, needs = [] } = route
  const run = async (
    { caller, body, request, reply, job }: RouteRun,
    context: ApiContext,
  ): Promise<Outcome<unknown>> => {
    const result = await route.handle({ ...readAddress(route, request), caller, body, request, reply, job }, context)
    return { result }
  }
  return {
    ...{ name, family, price, input, uses: [], needs, alwaysTicket: false, limitSeconds: undefined },
    output: reply.schema!,
    status: reply.status,
    isBodyOptional: route.bodyOptional ?? false,
    execution: { kind: 'route', settles: route.settles ?? false, run },
    ...(route.reveal && { reveal: route.reveal }),
    ...(route.countUnits && {
      countUnits: async ({ request, caller, input: body }, context) =>
        route.countUnits!({ caller, params: readAddress(route, request).params, body, request }, context),
    }),
    checkRequest: request => void readAddress(route, request),
  }
}

/** The parameters of a route's path and query and the headers that it declares, checked. */
export function readAddress({ params, query, headers }: NamedRoute, request: FastifyRequest) {
  const given = {
    params: { ...(request.params as object) },
    query: { ...(request.query as object) },
    headers: pickHeaders(headers, request),
  }
  if (params) validateText(params, given.params)
  if (query) validateText(query, given.query)
  if (headers) validateText(headers, given.headers)
  return given
}

function pickHeaders(schema: TSchema | undefined, request: FastifyRequest): Record<string, unknown> {
  const { properties = {} } = (schema ?? {}) as { properties?: object }
  const given = Object.keys(properties).map(name => [name, request.headers[name.toLowerCase()]] as const)
  return Object.fromEntries(given.filter(([, text]) => text !== undefined))
}

/** The ways to authenticate on operations. */
export const BILLABLE_AUTH: readonly AuthMode[] = ['key', 'wallet', 'x402']
