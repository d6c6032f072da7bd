import { Type } from 'typebox'
import { rotateDropToken } from '../../../../sql/mailbox/messages.ts'
import { route } from '../../../route.ts'
import { LeaseId, OWNER_AUTH, OWNER_ERRORS, parseWireId } from '../../lease/index.ts'
import { DropUrl, MAILBOX_FIELDS } from '../schema.ts'
import { DROP } from '../secrets.ts'

export default route({
  at: 'POST /api/mailbox/{lease_id}/rotate-drop-token',
  summary: 'Give a mailbox a new drop URL; the former one stops working at once.',
  keywords: 'new mailbox address, revoke a drop url, spam, new secret address of a mailbox',
  auth: OWNER_AUTH,
  params: LeaseId,
  reply: { status: 200, schema: Type.Object({ ...MAILBOX_FIELDS, drop_url: DropUrl }) },
  errors: ['FORBIDDEN', 'NOT_FOUND', 'GONE', ...OWNER_ERRORS],
  async handle({ caller, params, reply }, { config, db }) {
    const token = DROP.mint()
    const owned = { accountId: caller.accountId, id: parseWireId('lse_', params.lease_id) }
    const mailbox = await rotateDropToken(db, owned, DROP.hash(config.secret, token))
    reply.header('x-lease-expires-at', mailbox.expires_at)
    return { ...mailbox, drop_url: `${config.publicUrl}/api/mailbox/${token}/drop` }
  },
})
