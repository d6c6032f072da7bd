import { Type } from 'typebox'
import { listStorage } from '../../../../sql/storage/content.ts'
import { route } from '../../../route.ts'
import { OWNER_ERRORS, OWNER_READS, Page, Pagination } from '../../lease/index.ts'
import { Storage } from '../schema.ts'

export default route({
  at: 'GET /api/storage',
  summary: 'List the live storage leases of the account, newest first.',
  keywords: 'stored files list leases',
  auth: OWNER_READS,
  query: Page,
  reply: { status: 200, schema: Type.Object({ items: Type.Array(Storage), pagination: Pagination }) },
  errors: ['INVALID_PARAM', 'UNKNOWN_FIELD', ...OWNER_ERRORS],
  async handle({ caller, query: { limit, offset } }, { db }) {
    const found = await listStorage(db, caller.accountId, limit + 1, offset)
    return { items: found.slice(0, limit), pagination: { limit, offset, hasMore: found.length > limit } }
  },
})
