import { Type } from 'typebox'
import { listDismissals } from '../../../../sql/screening/screenings.ts'
import { route } from '../../../route.ts'
import { DismissalReply } from '../schema.ts'

export default route({
  at: 'GET /v1/screening/dismissals',
  summary: 'List the matches that you have dismissed, the newest first.',
  keywords: 'false positives, dismissed matches',
  auth: ['key', 'wallet'],
  connectorScope: 'mcp:read',
  query: Type.Object(
    { limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 100 }) },
    { additionalProperties: false },
  ),
  reply: { status: 200, schema: Type.Object({ data: Type.Array(DismissalReply) }) },
  errors: ['INVALID_PARAM', 'UNKNOWN_FIELD', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  handle: async ({ caller, query }, { db }) => ({ data: await listDismissals(db, caller.accountId, query.limit) }),
})
