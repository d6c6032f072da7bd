import { deleteMessage } from '../../../../sql/mailbox/messages.ts'
import { route } from '../../../route.ts'
import { OWNER_AUTH, OWNER_ERRORS, parseWireId } from '../../lease/index.ts'
import { MessageId } from '../schema.ts'

export default route({
  at: 'DELETE /api/mailbox/{lease_id}/messages/{message_id}',
  summary: 'Delete a message. What it took is free for others.',
  keywords: 'remove a message, acknowledge, make room in an inbox',
  auth: OWNER_AUTH,
  params: MessageId,
  reply: { status: 204 },
  errors: ['FORBIDDEN', 'NOT_FOUND', 'GONE', ...OWNER_ERRORS],
  async handle({ caller, params, reply }, { db }) {
    const mailbox = { accountId: caller.accountId, id: parseWireId('lse_', params.lease_id) }
    await deleteMessage(db, mailbox, parseWireId('msg_', params.message_id))
    reply.code(204).send()
  },
})
