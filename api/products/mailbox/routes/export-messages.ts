import { Readable } from 'node:stream'
import { readMailbox } from '../../../../sql/mailbox/messages.ts'
import { route } from '../../../route.ts'
import { LeaseId, OWNER_ERRORS, OWNER_READS, parseWireId } from '../../lease/index.ts'
import { exportMessages } from '../export.ts'

export default route({
  at: 'GET /api/mailbox/{lease_id}/messages.ndjson',
  summary: 'Export all messages of a mailbox with their bodies, one JSON object a line. None is marked as read.',
  keywords: 'export a mailbox, backup of an inbox, download all messages',
  description: 'A body that is UTF-8 text is in `content` with the `encoding` utf-8, any other in base64.',
  auth: OWNER_READS,
  params: LeaseId,
  reply: { status: 200, contentType: 'application/x-ndjson' },
  errors: ['FORBIDDEN', 'NOT_FOUND', 'GONE', ...OWNER_ERRORS],
  async handle({ caller: { accountId }, params, request, reply }, { db }) {
    const mailbox = { accountId, id: parseWireId('lse_', params.lease_id) }
    const { expires_at: expiresAt } = await readMailbox(db, mailbox)
    reply.header('x-lease-expires-at', expiresAt).type('application/x-ndjson; charset=utf-8')
    if (request.method === 'HEAD') reply.send()
    else reply.send(Readable.from(exportMessages(db, mailbox)))
  },
})
