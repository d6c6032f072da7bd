import { Type } from 'typebox'
import { listMailboxes } from '../../../../sql/mailbox/messages.ts'
import { route } from '../../../route.ts'
import { OWNER_ERRORS, OWNER_READS, Page, Pagination } from '../../lease/index.ts'
import { Mailbox } from '../schema.ts'

export default route({
  at: 'GET /api/mailbox',
  summary: 'List the live mailboxes of the account, newest first.',
  keywords: 'my mailboxes, my inboxes',
  auth: OWNER_READS,
  query: Page,
  reply: { status: 200, schema: Type.Object({ items: Type.Array(Mailbox), pagination: Pagination }) },
  errors: ['INVALID_PARAM', 'UNKNOWN_FIELD', ...OWNER_ERRORS],
  async handle({ caller, query: { limit, offset } }, { db }) {
    const found = await listMailboxes(db, caller.accountId, limit + 1, offset)
    return { items: found.slice(0, limit), pagination: { limit, offset, hasMore: found.length > limit } }
  },
})
