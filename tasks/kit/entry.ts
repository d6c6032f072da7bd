import type { TSchema } from 'typebox'
import type { Conversion, Example } from './operation.ts'
import type { PriceTag } from './price.ts'
import type { ProblemCode } from './problem.ts'

export type AuthMode = 'key' | 'wallet' | 'x402' | 'session' | 'none'

/** One endpoint of the service as the surfaces describe it, whether it is an operation or a route. */
export interface Entry {
  kind: 'operation' | 'route'
  /** `pdf.rotate`: the service key in ledger, jobs and events, and the tool's name in MCP. */
  name: string
  family: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With `{name}` for parameters. */
  path: string
  summary: string
  description?: string
  /** Other words for what it does. */
  keywords?: string
  converts?: readonly Conversion[]
  /** Its name as an MCP tool; undefined for what is not offered as one. */
  tool?: string
  /** It is among the tools that an MCP client is shown first. */
  isFeatured?: boolean
  auth: readonly AuthMode[]
  /** It only serves payments by x402, and is unavailable where none are taken. */
  servesPayments?: boolean
  params?: TSchema
  query?: TSchema
  headers?: TSchema
  body?: TSchema
  /** The body is one JSON document, or bytes of any type, instead of fields. */
  streamBody?: 'json' | 'bytes'
  /** `dryRun` is the answer, with 200, to a caller who only asks for the price. */
  reply: { status: number; schema?: TSchema; contentType?: string; dryRun?: TSchema }
  /** Of its problems, if they have another than those of other calls. */
  problemSchema?: TSchema
  price?: PriceTag
  tools: readonly string[]
  /** Those of `tools` without which it still runs for most calls. */
  optionalTools?: readonly string[]
  /** Those of `optionalTools` of which there must be one. */
  anyOfTools?: readonly string[]
  errors: readonly ProblemCode[]
  /** Those of the operations that can be its steps. */
  stepErrors?: readonly ProblemCode[]
  examples: readonly Example[]
}
