import { Type } from 'typebox'
import { Choice } from '#kit'
import { listScreenings } from '../../../../sql/screening/screenings.ts'
import { STATUSES } from '../../../../tasks/products/screening/outcome.ts'
import { route } from '../../../route.ts'

export default route({
  at: 'GET /v1/screening/matches',
  summary: 'List your screenings, the newest first.',
  keywords: 'my screenings, history of sanctions checks',
  auth: ['key', 'wallet'],
  connectorScope: 'mcp:read',
  query: Type.Object(
    { limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }) },
    { additionalProperties: false },
  ),
  reply: {
    status: 200,
    schema: Type.Object({
      data: Type.Array(
        Type.Object({
          screeningId: Type.String(),
          name: Type.String(),
          referenceId: Type.Union([Type.String(), Type.Null()]),
          status: Choice(STATUSES),
          matches: Type.Integer(),
          createdAt: Type.String({ format: 'date-time' }),
        }),
      ),
    }),
  },
  errors: ['INVALID_PARAM', 'UNKNOWN_FIELD', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  handle: async ({ caller, query }, { db }) => ({ data: await listScreenings(db, caller.accountId, query.limit) }),
})
