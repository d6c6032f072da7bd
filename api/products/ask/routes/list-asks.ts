import { Type } from 'typebox'
import { Choice } from '#kit'
import { listAsks } from '../../../../sql/ask/asks.ts'
import { route } from '../../../route.ts'
import { Ask, STATUSES, Text } from '../schema.ts'

export default route({
  at: 'GET /v1/bridge/asks',
  summary: 'List your asks, the newest first.',
  keywords: 'my questions, open approvals, pending approvals, questions that I asked, questions put to people',
  auth: ['key', 'wallet'],
  query: Type.Object(
    {
      status: Type.Optional(Choice(STATUSES)),
      threadId: Type.Optional(Text(200)),
      referenceId: Type.Optional(Text(200)),
      limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
      offset: Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0 }),
    },
    { additionalProperties: false },
  ),
  reply: { status: 200, schema: Type.Object({ data: Type.Array(Ask), hasMore: Type.Boolean() }) },
  errors: ['INVALID_PARAM', 'UNKNOWN_FIELD', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  async handle({ caller, query: { limit, offset, ...filter } }, { db }) {
    const found = await listAsks(db, caller.accountId, filter, { limit: limit + 1, offset })
    return { data: found.slice(0, limit), hasMore: found.length > limit }
  },
})
