import { Type } from 'typebox'
import { listCheckpoints } from '../../../../sql/checkpoint/versions.ts'
import { route } from '../../../route.ts'
import { OWNER_ERRORS, OWNER_READS, Page, Pagination, Time } from '../../lease/index.ts'

const Checkpoint = Type.Object({
  workflow_id: Type.String(),
  lease_id: Type.String(),
  version: Type.Integer(),
  max_body_bytes: Type.Integer(),
  created_at: Time,
  updated_at: Time,
  expires_at: Time,
})

export default route({
  at: 'GET /api/checkpoint',
  summary: 'List the live checkpoints of the account, newest first.',
  keywords: 'checkpoint list workflows',
  auth: OWNER_READS,
  query: Page,
  reply: { status: 200, schema: Type.Object({ items: Type.Array(Checkpoint), pagination: Pagination }) },
  errors: ['INVALID_PARAM', 'UNKNOWN_FIELD', ...OWNER_ERRORS],
  async handle({ caller, query: { limit, offset } }, { db }) {
    const found = await listCheckpoints(db, caller.accountId, limit + 1, offset)
    return { items: found.slice(0, limit), pagination: { limit, offset, hasMore: found.length > limit } }
  },
})
