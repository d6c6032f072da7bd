import { type TSchema, Type } from 'typebox'
import type { AuthMode, Lane, Outcome, Price } from '#kit'
import { laneOf, selectTools } from '#kit'
import type { NamedOperation } from '../../tasks/index.ts'
import type { NamedRoute } from '../catalog.ts'
import type { ApiContext } from '../context.ts'
import type { Address, IncomingCall } from '../incoming-call.ts'
import type { RouteJob, StreamedContent } from '../route.ts'
import type { Caller } from './identity/caller.ts'
import type { AnswerSink } from './reply/sink.ts'
import { readAddress } from './route-handler.ts'

/** What a priced route's handler is given. */
interface RouteRun {
  caller: Caller
  body: unknown
  address: Address
  request: IncomingCall
  reply: AnswerSink
  job: RouteJob
  content: unknown
}

interface PricedRequest {
  request: IncomingCall
  address: Address
  caller: Caller | undefined
  input: unknown
}

/** How the work is done: by an operation (in this process or on a worker), or by a route once the price is held. */
type Execution =
  | { kind: 'operation'; operation: NamedOperation; lane: Lane }
  | {
      kind: 'route'
      settles: boolean
      readCharge?: NamedRoute['readCharge']
      run(call: RouteRun, context: ApiContext): Promise<Outcome<unknown>>
    }

/** Anything with a price: an operation or a priced route, in the form the intake needs. */
export interface Billable {
  /** The service key in ledger and jobs. */
  name: string
  family: string
  /** Of an operation that the operator has added. */
  version?: string
  price: Price<never>
  input: TSchema
  output: TSchema
  /** The HTTP status of its result. */
  status: number
  uses: NamedOperation['uses']
  optional?: NamedOperation['optional']
  anyOf?: NamedOperation['anyOf']
  /** What a route needs in the process of the api. */
  needs: readonly string[]
  /** The same where it depends on the body. */
  needsOf?(body: object): readonly string[]
  alwaysTicket: boolean
  /** Without fields there is nothing in the body that the intake reads: it has none, or `receive` takes it. */
  hasFields: boolean
  /** An absent body counts as `{}`. */
  isBodyOptional?: boolean
  limitSeconds: number | undefined
  execution: Execution
  /** Adds to its result what is never stored. */
  reveal?(result: unknown, context: ApiContext, address: Address): unknown
  describeResult?: NamedRoute['describeResult']
  /** Reads and checks what the request says beside its body, if that is anything. */
  readAddress?(request: IncomingCall): Address
  /** The units of the price, if they follow from more than the body. */
  countUnits?(call: PricedRequest, context: ApiContext): Promise<number>
  /** The whole price, if it has no units. */
  quote?(call: PricedRequest, context: ApiContext): Promise<bigint>
  showPrice?(amountMicros: bigint, address: Address): object
  receive?(
    call: { caller: Caller; request: IncomingCall; address: Address },
    context: ApiContext,
  ): Promise<StreamedContent>
}

/** Which tools some calls need is known once their body is. */
export function billableOperation(operation: NamedOperation, body?: unknown): Billable {
  const { name, family, version, price, input, output, wait, limitSeconds } = operation
  const { uses, optional, anyOf } = selectTools(operation, body)
  const alwaysTicket = wait === 'ticket'
  const execution: Execution = { kind: 'operation', operation, lane: laneOf(uses) }
  return {
    ...{ name, family, version },
    price: price as Price<never>,
    input,
    output,
    status: 200,
    uses,
    optional,
    anyOf,
    needs: [],
    alwaysTicket,
    limitSeconds,
    execution,
    hasFields: true,
  }
}

type PricedRoute = NamedRoute & Required<Pick<NamedRoute, 'price'>>

export function isPriced(route: NamedRoute): route is PricedRoute {
  return route.price !== undefined
}

const NO_FIELDS = Type.Object({})

export function billableRoute(route: PricedRoute): Billable {
  const { name, family, price, body, streamBody, reply, needsOf } = route
  const { needs = [] } = needsOf ? {} : route
  const hasFields = body !== undefined && streamBody === undefined
  const run = async (
    { address, caller, body, request, reply, job, content }: RouteRun,
    context: ApiContext,
  ): Promise<Outcome<unknown>> => {
    const result = await route.handle({ ...address, caller, body, request, reply, job, content }, context)
    return { result }
  }
  return {
    ...{ name, family, price, uses: [], needs, alwaysTicket: false, limitSeconds: route.limitSeconds },
    ...{ hasFields, input: hasFields ? body : NO_FIELDS },
    output: reply.schema!,
    status: reply.status,
    isBodyOptional: route.bodyOptional ?? false,
    execution: { kind: 'route', settles: route.settles ?? false, readCharge: route.readCharge, run },
    readAddress: request => readAddress(route, request),
    ...bindPricing(route),
    ...(needsOf && { needsOf }),
    ...(route.describeResult && { describeResult: route.describeResult }),
    ...(route.reveal && {
      reveal: (result, context, { headers }) => route.reveal!(result, context, { headers }),
    }),
    ...(route.receive && {
      receive: ({ caller, request, address: { headers } }, context) =>
        route.receive!({ caller, request, headers }, context),
    }),
  }
}

/** What the route declares of its price, as the intake asks for it. */
function bindPricing(route: PricedRoute): Pick<Billable, 'countUnits' | 'quote' | 'showPrice'> {
  const ask = ({ request, address: { params, headers }, caller, input: body }: PricedRequest) => {
    return { caller, request, params, headers, body }
  }
  return {
    ...(route.countUnits && { countUnits: async (call, context) => route.countUnits!(ask(call), context) }),
    ...(route.quote && { quote: async (call, context) => route.quote!(ask(call), context) }),
    ...(route.showPrice && {
      showPrice: (amountMicros, { headers }) => route.showPrice!(amountMicros, { headers }),
    }),
  }
}

/** The ways to authenticate on operations. */
export const BILLABLE_AUTH: readonly AuthMode[] = ['key', 'wallet', 'x402']
