import type { AuthMode, ProblemForm } from '#kit'
import type { Span } from '../ops/tracing/trace.ts'
import type { Identity } from './incoming-call.ts'
import type { Offers } from './intake/x402/offers.ts'
import type { Scope } from './oauth/scopes.ts'

declare module 'fastify' {
  interface FastifyInstance {
    publicUrl: string
    /** Where payments can be settled: how a call can be paid. */
    offers: Offers | undefined
  }
  interface FastifyRequest {
    /** Set once, by the hook of the server that identifies every request. */
    identity: Identity | undefined
    /** Its span, where requests are traced. */
    trace: Span | undefined
    /** The code of the problem that it was answered with. */
    problem: string | undefined
  }
  interface FastifyContextConfig {
    /** How its problems are written, if not as those of other calls. */
    problemForm?: ProblemForm
    /** The name of the catalogue's entry, for logs and meters. */
    entry?: string
    summary?: string
    isOperation?: boolean
    /** For machines and pages: no rate limit counts it. */
    isUncounted?: boolean
    /** The body stays bytes, because they are signed as a whole. */
    isRaw?: boolean
    /** The body stays a stream, whatever its type. */
    isStreamed?: boolean
    /** An absent body counts as `{}`. */
    isBodyOptional?: boolean
    hasOwnAuth?: boolean
    /** An API key is also accepted as the query parameter `key`. */
    takesKeyInQuery?: boolean
    /** The path of the resource for which tokens of connectors are accepted. */
    resource?: string
    /** What a connector needs for the call as a tool; told to one that tries without it here. */
    connectorScope?: Scope
    /** How a caller may say who it is. */
    auth?: readonly AuthMode[]
  }
}
