import { ID_PREFIX, Problem } from '#kit'

/** Revisions in which each request stands for itself. */
export const MODERN_VERSIONS = ['2026-07-28'] as const
/** Revisions that begin with `initialize`; the newest first. */
export const LEGACY_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'] as const

/** A request without the header comes from a client of this revision. */
export const UNNAMED_VERSION = '2025-03-26'

export const CODES = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  /** For refusals that the protocol has no code of its own for. */
  refused: -32000,
  resourceNotFound: -32002,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
} as const

export const META = {
  version: 'io.modelcontextprotocol/protocolVersion',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
  /** Our own: what a call was charged, and a key that makes a repeat safe. */
  charge: `${ID_PREFIX}/charge`,
  idempotencyKey: `${ID_PREFIX}/idempotencyKey`,
  /** The most that the call may cost. */
  maxPriceMicros: `${ID_PREFIX}/maxPriceMicros`,
} as const

export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks'

/** An error of the protocol itself. `status` is the HTTP status that goes with it. */
export class McpError extends Error {
  readonly code: number
  readonly data: unknown
  readonly status: number

  constructor(code: number, message: string, { data, status = 200 }: { data?: unknown; status?: number } = {}) {
    super(message)
    this.name = 'McpError'
    this.code = code
    this.data = data
    this.status = status
  }

  toBody(): object {
    return { code: this.code, message: this.message, ...(this.data !== undefined && { data: this.data }) }
  }
}

/** Problems that the transport answers, because a client can act on their HTTP status. */
const BY_TRANSPORT = new Set([
  'UNAUTHENTICATED',
  'MISSING_AUTH',
  'SIGN_IN_REQUIRED',
  'ACCOUNT_SUSPENDED',
  'INSUFFICIENT_SCOPE',
  'RATE_LIMITED',
])

export function isForTransport(error: unknown): boolean {
  return error instanceof Problem && BY_TRANSPORT.has(error.code)
}
