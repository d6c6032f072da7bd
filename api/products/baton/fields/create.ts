import { type Static, Type } from 'typebox'
import { Choice } from '#kit'
import { VectorOptions } from '../vector-options.ts'
import { CHOICE_FIELDS, PresetField, QuoteReply } from './preset.ts'

/** Postgres stores neither NUL nor half a surrogate pair. */
const STORABLE = '^[^\\u0000\\ud800-\\udfff]*$'
export const Words = (maxLength: number, description?: string) =>
  Type.String({ maxLength, pattern: STORABLE, ...(description && { description }) })

const Count = Type.Union([Type.Integer({ minimum: 0, maximum: 2_147_483_647 }), Type.Null()])
const Time = Type.String({ format: 'date-time' })

const Cap = (of: string) => ({
  ...Count,
  description: `${of} that the token allows; null: as many as the baton has left.`,
})

/** What can be changed of a token later. */
export const TOKEN_LIMITS = {
  reads_allowed: Type.Optional(Cap('Reads')),
  writes_allowed: Type.Optional(Cap('Writes')),
  expires_at: Type.Optional(
    Type.Union([Type.String({ maxLength: 40 }), Type.Null()], { description: 'An ISO 8601 time.' }),
  ),
  ip_allow_list: Type.Optional(
    Type.Array(Type.String({ maxLength: 64 }), {
      maxItems: 64,
      description: 'IPv4 networks that may use it, in CIDR form.',
    }),
  ),
}

export const TokenFields = Type.Object(
  {
    type: Choice(['read', 'write', 'read_write']),
    ...TOKEN_LIMITS,
    require_fingerprint: Type.Optional(
      Type.Boolean({ description: 'Bind it to the X-Service-Fingerprint header of its first use.' }),
    ),
  },
  { additionalProperties: false },
)

export const ContentType = Type.String({ minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]+$' })
export const ContentEncoding = Choice(['utf-8', 'base64', 'binary'], { description: '`binary` is base64 too.' })

const Acl = Type.Record(
  Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' }),
  Choice(['editor', 'reader']),
  {
    additionalProperties: false,
    maxProperties: 100,
    description: 'Other accounts that may use it, by their ids.',
  },
)

const PerMinute = Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 }))
export const RateLimits = Type.Object(
  { readsPerMinute: PerMinute, writesPerMinute: PerMinute },
  { additionalProperties: false, description: 'Reads and writes of all callers together, by the minute of the clock.' },
)

export const NAMING_FIELDS = {
  name: Type.Optional(Words(255)),
  description: Type.Optional(Words(2_000)),
  tags: Type.Optional(Type.Array(Words(64), { maxItems: 32 })),
  schemaRef: Type.Optional(Words(255, 'A name or address of the schema of its content, for its users.')),
  acl: Type.Optional(Acl),
  rateLimits: Type.Optional(RateLimits),
}

const Trigger = Type.Object(
  {
    url: Type.String({ minLength: 1, maxLength: 2_048 }),
    events: Type.Array(Type.String({ maxLength: 100 }), { maxItems: 100 }),
    description: Type.Optional(Words(500)),
  },
  { additionalProperties: false },
)

export const OPTION_FIELDS = {
  ...CHOICE_FIELDS,
  ...NAMING_FIELDS,
  content: Type.Optional(Type.String({ description: 'The first content, at most 3 MiB.' })),
  contentType: Type.Optional(ContentType),
  contentEncoding: Type.Optional(ContentEncoding),
  requestPresignedUpload: Type.Optional(
    Type.Boolean({ description: 'Get a form to upload the first content with, instead of sending it here.' }),
  ),
  eventTriggers: Type.Optional(
    Type.Array(Trigger, { maxItems: 10, description: 'Webhooks for the events of this baton.' }),
  ),
  tokens: Type.Optional(Type.Array(TokenFields, { maxItems: 100 })),
  onExpiration: Type.Optional(
    Choice(['hard_delete', 'tombstone_then_delete'], { description: 'When the content is removed.' }),
  ),
  deleteOnAllTokensConsumed: Type.Optional(
    Type.Boolean({ description: 'Delete it after the last read of its tokens.' }),
  ),
}

const CreateBody = Type.Object(
  { preset: PresetField, ...OPTION_FIELDS, vector: Type.Optional(VectorOptions) },
  { additionalProperties: false },
)
export type CreateBody = Static<typeof CreateBody>
export type NewTokenFields = Static<typeof TokenFields>

export const BATON_FIELDS = {
  id: Type.String({ format: 'uuid' }),
  preset: Type.String(),
  tier: Type.String(),
  behaviour: Type.String(),
  sizeBytes: Type.String(),
  egressBytes: Type.String(),
  maxWrites: Type.Integer(),
  maxReads: Type.Integer(),
  createdAt: Time,
  expiresAt: Time,
}

export const TokenReply = Type.Object({
  id: Type.String({ description: 'The token itself: it stands for the id of the baton in addresses.' }),
  writer: Type.String({ description: 'How entries and logs name it.' }),
  type: Type.String(),
  state: Choice(['active', 'exhausted', 'expired', 'revoked']),
  readsAllowed: Count,
  writesAllowed: Count,
  readsUsed: Type.Integer(),
  writesUsed: Type.Integer(),
  expiresAt: Type.Union([Time, Type.Null()]),
  requireFingerprint: Type.Boolean(),
  ipAllowList: Type.Array(Type.String()),
  createdAt: Time,
})

export const CreatedBaton = Type.Object({
  ...BATON_FIELDS,
  quote: QuoteReply,
  vector: Type.Optional(
    Type.Object({
      metric: Type.String(),
      dimensions: Type.Union([Type.Integer(), Type.Null()]),
      model: Type.Union([Type.String(), Type.Null()]),
    }),
  ),
  tokens: Type.Array(
    Type.Object({
      ...{ id: Type.String(), writer: Type.String(), type: Type.String() },
      readsAllowed: Type.Optional({ ...Count, description: 'Where it was given; `maxReads` is of all tokens.' }),
    }),
  ),
  eventTriggers: Type.Optional(
    Type.Array(
      Type.Object({ id: Type.String(), url: Type.String(), events: Type.Array(Type.String()), secret: Type.String() }),
    ),
  ),
  upload: Type.Optional(
    Type.Object({
      url: Type.String(),
      fields: Type.Record(Type.String(), Type.String()),
      maxBytes: Type.Integer(),
      expiresAt: Time,
    }),
  ),
})
