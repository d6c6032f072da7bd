import { contentDisposition } from '../../../../ops/providers/storage/disposition.ts'
import { readMessage } from '../../../../sql/mailbox/messages.ts'
import { route } from '../../../route.ts'
import { OWNER_ERRORS, OWNER_READS, parseWireId } from '../../lease/index.ts'
import { MessageId } from '../schema.ts'

export default route({
  at: 'GET /api/mailbox/{lease_id}/messages/{message_id}',
  summary: 'Read the body of a message, with the content type that its sender declared. It is marked as read.',
  keywords: 'open a message, body of a message, download what was left',
  auth: OWNER_READS,
  params: MessageId,
  reply: { status: 200, contentType: 'application/octet-stream' },
  errors: ['FORBIDDEN', 'NOT_FOUND', 'GONE', ...OWNER_ERRORS],
  async handle({ caller, params, request, reply }, { db }) {
    const mailbox = { accountId: caller.accountId, id: parseWireId('lse_', params.lease_id) }
    const isMarked = request.method !== 'HEAD'
    const found = await readMessage(db, mailbox, parseWireId('msg_', params.message_id), isMarked)
    // Senders are strangers: a browser must neither show nor run what they sent.
    reply
      .headers({
        'content-type': found.content_type,
        'content-disposition': contentDisposition(found.filename ?? undefined),
        'x-content-type-options': 'nosniff',
        'content-security-policy': "sandbox; default-src 'none'",
        etag: `"${found.sha256}"`,
        'last-modified': found.received_at.toUTCString(),
        'x-lease-expires-at': found.expires_at.toISOString(),
      })
      .send(found.body)
  },
})
