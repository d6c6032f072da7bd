import { Type } from 'typebox'
import { deleteMailbox } from '../../../../sql/mailbox/messages.ts'
import { route } from '../../../route.ts'
import { LeaseId, OWNER_AUTH, OWNER_ERRORS, parseWireId } from '../../lease/index.ts'

export default route({
  at: 'DELETE /api/mailbox/{lease_id}',
  summary: 'Delete a mailbox with all its messages before its time. Nothing is paid back.',
  keywords: 'mailbox remove close',
  auth: OWNER_AUTH,
  params: LeaseId,
  reply: { status: 200, schema: Type.Object({ status: Type.Literal('deleted') }) },
  errors: ['FORBIDDEN', 'NOT_FOUND', 'GONE', ...OWNER_ERRORS],
  async handle({ caller, params }, { db }) {
    await deleteMailbox(db, { accountId: caller.accountId, id: parseWireId('lse_', params.lease_id) })
    return { status: 'deleted' }
  },
})
