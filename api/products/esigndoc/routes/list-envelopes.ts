import { Type } from 'typebox'
import { Choice, Problem } from '#kit'
import { listEnvelopes } from '../../../../sql/esigndoc/envelopes.ts'
import { route } from '../../../route.ts'
import { Envelope, parseBatchId, parseTemplateId, STATUSES } from '../schema.ts'
import { describeEnvelope } from '../showing.ts'

const Moment = (description: string) =>
  Type.String({
    maxLength: 40,
    pattern: '^\\d{4}-\\d{2}-\\d{2}',
    description: `${description} Such as 2026-12-31 or 2026-12-31T10:00:00Z.`,
  })

function readTime(field: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const time = new Date(text)
  if (Number.isNaN(time.getTime())) throw new Problem('INVALID_PARAM', { field, reason: 'no such time' })
  return time.toISOString()
}

export default route({
  at: 'GET /v1/esigndoc/envelopes',
  summary: 'List your envelopes, the newest first.',
  keywords: 'my envelopes, documents out for signature, signed documents',
  auth: ['key', 'wallet'],
  query: Type.Object(
    {
      status: Type.Optional(Choice(STATUSES)),
      recipientEmail: Type.Optional(Type.String({ maxLength: 320 })),
      referenceId: Type.Optional(Type.String({ maxLength: 128 })),
      templateId: Type.Optional(Type.String({ maxLength: 64 })),
      batchId: Type.Optional(Type.String({ maxLength: 64 })),
      since: Type.Optional(Moment('Made at or after this time.')),
      until: Type.Optional(Moment('Made before this time.')),
      limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
      offset: Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0 }),
    },
    { additionalProperties: false },
  ),
  reply: { status: 200, schema: Type.Object({ data: Type.Array(Envelope), hasMore: Type.Boolean() }) },
  errors: ['INVALID_PARAM', 'UNKNOWN_FIELD', 'NOT_FOUND', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  async handle({ caller, query: { limit, offset, templateId, batchId, since, until, ...rest } }, context) {
    const filter = {
      ...rest,
      ...{ since: readTime('since', since), until: readTime('until', until) },
      ...(templateId !== undefined && { templateId: parseTemplateId(templateId) }),
      ...(batchId !== undefined && { batchId: parseBatchId(batchId) }),
    }
    const found = await listEnvelopes(context.db, caller.accountId, filter, { limit: limit + 1, offset })
    const data = found.slice(0, limit).map(view => describeEnvelope(context, view))
    return { data, hasMore: found.length > limit }
  },
})
