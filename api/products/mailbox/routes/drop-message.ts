import { Type } from 'typebox'
import { dropMessage, readDropTerms } from '../../../../sql/mailbox/messages.ts'
import { readIdempotencyKey } from '../../../intake/call-handler.ts'
import { route } from '../../../route.ts'
import { readFilename, Time } from '../../lease/index.ts'
import { requireDropRate } from '../dropping.ts'
import { requireContentType, withMessage } from '../message-reading.ts'
import { DropToken } from '../schema.ts'
import { DROP } from '../secrets.ts'

export default route({
  at: 'POST /api/mailbox/{drop_token}/drop',
  summary: 'Leave a message in a mailbox: any body of any type. The token in the address is all it takes.',
  keywords: 'leave a message, send a message to another agent, drop off, reply to an agent, put into an inbox',
  description: 'The name of a file is taken from `X-Filename` or `Content-Disposition`.',
  auth: ['none'],
  params: DropToken,
  headers: Type.Object({
    'X-Filename': Type.Optional(Type.String()),
    'Idempotency-Key': Type.Optional(
      Type.String({ description: 'A repeat with the same key leaves no second message.' }),
    ),
  }),
  body: Type.Unknown({ description: 'Any bytes.' }),
  streamBody: 'bytes',
  reply: {
    status: 201,
    schema: Type.Object({
      status: Type.Literal('accepted'),
      message_id: Type.String(),
      received_at: Time,
      size_bytes: Type.Integer(),
      remaining_bytes: Type.Integer(),
      remaining_messages: Type.Integer(),
    }),
  },
  errors: [
    'NOT_FOUND',
    'GONE',
    'EMPTY_BODY',
    'BODY_TOO_LARGE',
    'BODY_INCOMPLETE',
    'MAILBOX_FULL',
    'MESSAGE_COUNT_EXCEEDED',
    'UNSUPPORTED_MEDIA_TYPE',
    'INVALID_IDEMPOTENCY_KEY',
    'IDEMPOTENCY_CONFLICT',
    'RATE_LIMITED',
  ],
  examples: [{ title: 'Leave an order', input: { order: 'A-17', quantity: 2 } }],
  async handle({ params, headers, request, reply }, context) {
    const { config, db } = context
    const tokenHash = DROP.hash(config.secret, params.drop_token)
    const terms = await readDropTerms(db, tokenHash)
    requireDropRate(context, request, terms)
    const message = {
      contentType: requireContentType(request.headers['content-type'], terms.allowed_content_types),
      filename: readFilename(request.headers),
      idempotencyKey: readIdempotencyKey(headers['Idempotency-Key'], undefined),
    }
    const receipt = await withMessage(context, request, { id: terms.id, maxBytes: terms.max_message_bytes }, body =>
      dropMessage(db, tokenHash, { ...message, body }),
    )
    const { is_replay: isReplay, expires_at: expiresAt, ...answer } = receipt
    if (isReplay) reply.header('idempotency-replayed', 'true')
    reply.header('x-lease-expires-at', expiresAt)
    return answer
  },
})
