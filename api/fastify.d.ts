import type { Caller } from './intake/authenticate.ts'

declare module 'fastify' {
  interface FastifyInstance {
    publicUrl: string
  }
  interface FastifyRequest {
    caller: Caller | undefined
  }
  interface FastifyContextConfig {
    /** The name of the entry behind the door, for logs and meters. */
    entry?: string
    summary?: string
    isOperation?: boolean
    /** Doors for machines and pages, which no rate limit counts. */
    isUncounted?: boolean
  }
}
