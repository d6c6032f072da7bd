import { Type } from 'typebox'
import { IndexReply } from '../vector-options.ts'
import { QuotasReply } from './access.ts'
import { BATON_FIELDS } from './create.ts'
import { QuoteReply } from './preset.ts'

const NullableText = Type.Union([Type.String(), Type.Null()])

export const BatonMeta = Type.Object({
  ...BATON_FIELDS,
  name: NullableText,
  description: NullableText,
  tags: Type.Array(Type.String()),
  contentType: NullableText,
  schemaRef: NullableText,
  acl: Type.Record(Type.String(), Type.String()),
  onExpiration: Type.String(),
  deleteOnAllTokensConsumed: Type.Boolean(),
  flags: Type.Object({ hashChaining: Type.Boolean(), witness: Type.Boolean() }),
  witnessedAt: NullableText,
  rateLimits: Type.Object({
    readsPerMinute: Type.Optional(Type.Integer()),
    writesPerMinute: Type.Optional(Type.Integer()),
  }),
  entries: Type.Integer(),
  storedBytes: Type.String(),
  chainHead: NullableText,
  quote: QuoteReply,
  quotas: QuotasReply,
  vector: Type.Optional(IndexReply),
})
