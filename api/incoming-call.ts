import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from 'fastify'

type Kept =
  | 'id'
  | 'log'
  | 'ip'
  | 'raw'
  | 'protocol'
  | 'method'
  | 'url'
  | 'headers'
  | 'params'
  | 'query'
  | 'caller'
  | 'payment'

/** A call as its protocol brings it. An HTTP request is one, and MCP makes one of each call of a tool. */
export interface IncomingCall extends Readonly<Pick<FastifyRequest, Kept>> {
  /** An absent body is filled in where a call needs none. */
  body: FastifyRequest['body']
  readonly server: Pick<FastifyInstance, 'publicUrl' | 'offers'>
  readonly routeOptions: { readonly config: Readonly<FastifyContextConfig> }
}
