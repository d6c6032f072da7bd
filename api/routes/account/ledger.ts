import { Type } from 'typebox'
import { Choice } from '#kit'
import { readStatement } from '../../../sql/ledger.ts'
import { route } from '../../route.ts'

export default route({
  at: 'GET /v1/account/ledger',
  summary: 'List every movement on the account, newest first: top-ups, charges with their holds, and refunds.',
  auth: ['key', 'wallet'],
  query: Type.Object(
    {
      limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
      offset: Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0 }),
      type: Type.Optional(Choice(['topup', 'charge', 'refund'])),
    },
    { additionalProperties: false },
  ),
  reply: {
    status: 200,
    schema: Type.Object({
      data: Type.Array(
        Type.Object({
          id: Type.String(),
          type: Choice(['topup', 'charge', 'refund']),
          direction: Choice(['credit', 'debit']),
          amountMicros: Type.String(),
          serviceKey: Type.Optional(Type.String()),
          status: Choice(['pending', 'settled', 'released', 'refunded']),
          jobId: Type.Optional(Type.String()),
          asset: Type.Optional(Type.String()),
          txHash: Type.Optional(Type.String()),
          createdAt: Type.String(),
        }),
      ),
      pagination: Type.Object({ limit: Type.Integer(), offset: Type.Integer(), hasMore: Type.Boolean() }),
    }),
  },
  errors: ['INVALID_PARAM', 'UNKNOWN_FIELD', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  async handle({ caller, query: { limit, offset, type } }, { db }) {
    const lines = await readStatement(db, { accountId: caller.accountId, type, limit: limit + 1, offset })
    return { data: lines.slice(0, limit), pagination: { limit, offset, hasMore: lines.length > limit } }
  },
})
