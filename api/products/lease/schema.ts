import { Type } from 'typebox'

/** A lease belongs to the account that has paid for it, which may be that of a wallet. */
export const OWNER_AUTH = ['key', 'wallet', 'x402'] as const
export const OWNER_READS = ['key', 'wallet'] as const
export const OWNER_ERRORS = ['MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'] as const

export const Time = Type.String({ format: 'date-time' })
export const NullableText = Type.Union([Type.String(), Type.Null()])
const Text = Type.String({ minLength: 1, maxLength: 200 })

export const LeaseId = Type.Object({
  lease_id: { ...Text, description: 'The lease_id that the call which made the lease has answered: lse_...' },
})

export const Page = Type.Object(
  {
    limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
    offset: Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0 }),
  },
  { additionalProperties: false },
)
export const Pagination = Type.Object({ limit: Type.Integer(), offset: Type.Integer(), hasMore: Type.Boolean() })

/** The headers that let a call change only the version that its caller has read. */
export const CONDITION_HEADERS = {
  'If-Match': Type.Optional(Type.String({ description: 'The ETag of the version that it must be.' })),
  'X-If-Version': Type.Optional(
    Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'The number of the version that it must be.' }),
  ),
}

/** The headers of everything that buys a lease. */
export const PURCHASE_HEADERS = {
  'X-Duration-Seconds': Type.Integer({
    minimum: 60,
    default: 86_400,
    description: 'How long it is kept; it cannot be extended. GET /api/pricing has the most.',
  }),
  'X-Dry-Run': Type.Boolean({ default: false, description: 'Only answer, with 200, what it would cost.' }),
  'Idempotency-Key': Type.Optional(
    Type.String({ description: 'A repeat with the same key within 24 hours gets the first answer and costs nothing.' }),
  ),
}

export const DryRun = Type.Object({
  status: Type.Literal('dry_run'),
  cost_micros: Type.String(),
  duration_seconds: Type.Integer(),
  max_body_bytes: Type.Optional(Type.Integer()),
  capacity_bytes: Type.Optional(Type.Integer()),
})
