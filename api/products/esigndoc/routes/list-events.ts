import { Type } from 'typebox'
import { listAuditEntries } from '../../../../sql/product/audit.ts'
import { route } from '../../../route.ts'
import { EnvelopeParam, NullableText, OWNER_ERRORS, parseEnvelopeId } from '../schema.ts'

export default route({
  at: 'GET /v1/esigndoc/envelopes/{id}/events',
  summary: 'Read the audit trail of an envelope: who did what, when and from where.',
  keywords: 'audit trail, who opened the document, history of an envelope, certificate of evidence',
  description: 'Each entry holds the hash of the one before, so that none can be changed unnoticed.',
  auth: ['key', 'wallet'],
  params: EnvelopeParam,
  query: Type.Object(
    {
      after: Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0, description: 'The last `seq` that you know.' }),
      limit: Type.Integer({ minimum: 1, maximum: 200, default: 100 }),
    },
    { additionalProperties: false },
  ),
  reply: {
    status: 200,
    schema: Type.Object({
      data: Type.Array(
        Type.Object({
          seq: Type.Integer(),
          at: Type.String({ format: 'date-time' }),
          actor: Type.String(),
          action: Type.String(),
          detail: Type.Object({}, { additionalProperties: true }),
          previous: NullableText,
          hash: Type.String(),
        }),
      ),
      hasMore: Type.Boolean(),
    }),
  },
  errors: [...OWNER_ERRORS, 'INVALID_PARAM', 'UNKNOWN_FIELD'],
  async handle({ caller: { accountId }, params, query: { after, limit } }, { db }) {
    const subject = { accountId, kind: 'envelope', id: parseEnvelopeId(params.id) }
    const found = await listAuditEntries(db, subject, after, limit + 1)
    const data = found.slice(0, limit).map(entry => ({
      ...{ seq: entry.seq, at: entry.at, actor: entry.actor, action: entry.action, detail: entry.detail },
      ...{ previous: entry.previous, hash: entry.hash },
    }))
    return { data, hasMore: found.length > limit }
  },
})
