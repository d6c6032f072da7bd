import type { Caller } from './intake/authenticate.ts'
import type { Offers } from './intake/x402/offers.ts'

declare module 'fastify' {
  interface FastifyInstance {
    publicUrl: string
    /** Where payments can be settled: how a call can be paid. */
    offers: Offers | undefined
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
    /** The body stays bytes: somebody has signed them. */
    isRaw?: boolean
    hasOwnAuth?: boolean
    takesPayment?: boolean
  }
}
