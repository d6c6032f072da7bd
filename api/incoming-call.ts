import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from 'fastify'
import type { Caller } from './intake/identity/caller.ts'
import type { Payment } from './intake/x402/payments.ts'

type Kept = 'id' | 'log' | 'ip' | 'raw' | 'protocol' | 'method' | 'url' | 'headers' | 'params' | 'query'

/** A request of which it is not known yet who makes it, such as an HTTP request. */
export interface IncomingRequest extends Readonly<Pick<FastifyRequest, Kept>> {
  readonly server: Pick<FastifyInstance, 'publicUrl' | 'offers'>
  readonly routeOptions: { readonly config: Readonly<FastifyContextConfig> }
}

export interface RequestWithBody extends IncomingRequest {
  readonly body: unknown
}

/** Who makes a call, and the payment that came with it. */
export interface Identity {
  readonly caller: Caller | undefined
  readonly payment: Payment | undefined
}

/** A call as a value that no step changes. REST makes one of each request, MCP one of each call of a tool. */
export interface IncomingCall extends RequestWithBody, Identity {
  /** Made of a call of a tool, whose caller knows arguments and no headers. */
  readonly isTool?: true
}

/** What a request says beside its body, checked. */
export interface Address {
  params: Record<string, unknown>
  query: Record<string, unknown>
  headers: Record<string, unknown>
}
