import { Type } from 'typebox'
import { Choice } from '#kit'
import { listVerifications } from '../../../../sql/idverify/verifications.ts'
import { route } from '../../../route.ts'
import { withLink } from '../link.ts'
import { STATUSES, TYPES, Verification } from '../schema.ts'

export default route({
  at: 'GET /v1/idverify/verifications',
  summary: 'List your verifications of identity, the newest first.',
  keywords: 'all identity checks, my verifications, kyc list',
  auth: ['key', 'wallet'],
  query: Type.Object(
    {
      status: Type.Optional(Choice(STATUSES)),
      type: Type.Optional(Choice(TYPES)),
      referenceId: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
      limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
      offset: Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0 }),
    },
    { additionalProperties: false },
  ),
  reply: { status: 200, schema: Type.Object({ data: Type.Array(Verification), hasMore: Type.Boolean() }) },
  errors: ['INVALID_PARAM', 'UNKNOWN_FIELD', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  async handle({ caller, query }, context) {
    const { limit, offset, ...filter } = query
    const found = await listVerifications(context.db, caller.accountId, filter, { limit: limit + 1, offset })
    return { data: found.slice(0, limit).map(view => withLink(context, view)), hasMore: found.length > limit }
  },
})
