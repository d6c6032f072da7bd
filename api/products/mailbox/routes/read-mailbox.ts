import { readMailbox } from '../../../../sql/mailbox/messages.ts'
import { route } from '../../../route.ts'
import { LeaseId, OWNER_ERRORS, OWNER_READS, parseWireId } from '../../lease/index.ts'
import { Mailbox } from '../schema.ts'

export default route({
  at: 'GET /api/mailbox/{lease_id}',
  summary: 'Show how full a mailbox is, and until when it is open.',
  keywords: 'is the mailbox full, room left in an inbox, capacity, when does the mailbox close',
  auth: OWNER_READS,
  params: LeaseId,
  reply: { status: 200, schema: Mailbox },
  errors: ['FORBIDDEN', 'NOT_FOUND', 'GONE', ...OWNER_ERRORS],
  async handle({ caller, params, reply }, { db }) {
    const mailbox = await readMailbox(db, { accountId: caller.accountId, id: parseWireId('lse_', params.lease_id) })
    reply.header('x-lease-expires-at', mailbox.expires_at)
    return mailbox
  },
})
