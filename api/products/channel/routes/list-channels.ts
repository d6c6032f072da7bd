import { Type } from 'typebox'
import { listChannels } from '../../../../sql/channel/channels.ts'
import { route } from '../../../route.ts'
import { Channel } from '../schema.ts'

export default route({
  at: 'GET /v1/bridge/channels',
  summary: 'List your channels, the newest first.',
  keywords: 'my channels, my rooms, my queues',
  auth: ['key', 'wallet'],
  query: Type.Object(
    {
      limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
      offset: Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0 }),
    },
    { additionalProperties: false },
  ),
  reply: { status: 200, schema: Type.Object({ data: Type.Array(Channel), hasMore: Type.Boolean() }) },
  errors: ['INVALID_PARAM', 'UNKNOWN_FIELD', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  async handle({ caller, query: { limit, offset } }, { db }) {
    const found = await listChannels(db, caller.accountId, limit + 1, offset)
    return { data: found.slice(0, limit), hasMore: found.length > limit }
  },
})
