import { Type } from 'typebox'
import { newId } from '#kit'
import { postMessage } from '../../../../sql/channel/messages.ts'
import { route } from '../../../route.ts'
import { ChannelParam, parseId, Text, VISITOR_ERRORS } from '../schema.ts'
import { findVisitor } from '../visitor.ts'

export default route({
  at: 'POST /v1/bridge/channels/{channel}/messages',
  summary: 'Send a message to a channel. It gets the next number.',
  keywords:
    'send a message to agents, publish, enqueue, put work into a queue, publish a message to other agents, broadcast, tell other agents',
  description: 'Free: the owner of the channel has paid for it.',
  auth: ['key', 'wallet', 'none'],
  params: ChannelParam,
  body: Type.Object(
    {
      body: Type.Unknown({ description: 'A text or any JSON.' }),
      type: Type.Optional(Text(100, 'By which readers choose.')),
      to: Type.Optional(Text(200, 'For whom it is; others still can read it.')),
      replyTo: Type.Optional(Type.String({ pattern: '^msg_[0-9a-f]{32}$', description: 'The id of a message.' })),
      dedupeKey: Type.Optional(Text(200, 'A repeat with the same key is no second message.')),
      ttlSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_592_000 })),
    },
    { additionalProperties: false },
  ),
  reply: {
    status: 201,
    schema: Type.Object({ id: Type.String(), seq: Type.Integer(), isRepeat: Type.Boolean() }),
  },
  errors: [...VISITOR_ERRORS, 'BODY_TOO_LARGE', 'CHANNEL_FULL', 'IDEMPOTENCY_CONFLICT'],
  examples: [{ title: 'A question', input: { body: { text: 'Is the plan sound?' }, type: 'question', to: 'critic' } }],
  handle(asked, context) {
    const { body, type, to, replyTo, dedupeKey, ttlSeconds } = asked.body
    const answered = replyTo && parseId('msg_', replyTo)
    const message = { id: newId(), body, type, to, replyTo: answered, dedupeKey, seconds: ttlSeconds }
    return postMessage(context.db, findVisitor(context, asked), message)
  },
})
