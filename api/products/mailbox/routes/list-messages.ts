import { setTimeout as pause } from 'node:timers/promises'
import { Type } from 'typebox'
import { listMessages } from '../../../../sql/mailbox/messages.ts'
import { route } from '../../../route.ts'
import { LeaseId, NullableText, OWNER_ERRORS, OWNER_READS, parseWireId } from '../../lease/index.ts'
import { Message } from '../schema.ts'

const LOOK_AGAIN_MS = 500

export default route({
  at: 'GET /api/mailbox/{lease_id}/messages',
  summary: 'List the messages of a mailbox in the order of their arrival, or wait until one arrives.',
  keywords: 'new messages, check inbox, poll messages, wait for a message, unread',
  description:
    'With `after` only those after that message are listed, whether it still exists or not. `next` is the last message of this answer if there are more after it. With `waitSec` an empty list is answered only after that time.',
  auth: OWNER_READS,
  params: LeaseId,
  query: Type.Object(
    {
      limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
      after: Type.Optional(Type.String({ maxLength: 64, description: 'The id of a message.' })),
      unread: Type.Boolean({ default: false }),
      waitSec: Type.Integer({ minimum: 0, maximum: 55, default: 0 }),
    },
    { additionalProperties: false },
  ),
  reply: {
    status: 200,
    schema: Type.Object({
      items: Type.Array(Message),
      next: NullableText,
      used_bytes: Type.Integer(),
      capacity_bytes: Type.Integer(),
      count: Type.Integer(),
    }),
  },
  errors: ['INVALID_PARAM', 'UNKNOWN_FIELD', 'FORBIDDEN', 'NOT_FOUND', 'GONE', ...OWNER_ERRORS],
  async handle({ caller, params, query, request, reply }, { db }) {
    const { limit, after, unread: isUnread, waitSec } = query
    const mailbox = { accountId: caller.accountId, id: parseWireId('lse_', params.lease_id) }
    const wanted = { after: after && parseWireId('msg_', after), isUnread, limit }
    const endsAt = performance.now() + waitSec * 1_000
    let found = await listMessages(db, mailbox, wanted)
    while (found.items.length === 0 && performance.now() < endsAt && !request.raw.destroyed) {
      await pause(Math.min(LOOK_AGAIN_MS, Math.max(1, endsAt - performance.now())))
      found = await listMessages(db, mailbox, wanted)
    }
    const { items, expires_at: expiresAt, ...usage } = found
    reply.header('x-lease-expires-at', expiresAt)
    const next = items.length > limit ? items[limit - 1]!.id : null
    return { items: items.slice(0, limit), next, ...usage }
  },
})
