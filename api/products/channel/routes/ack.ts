import { Type } from 'typebox'
import { UuidText } from '#kit'
import { answerClaims } from '../../../../sql/channel/messages.ts'
import { route } from '../../../route.ts'
import { ChannelParam, VISITOR_ERRORS } from '../schema.ts'
import { findVisitor } from '../visitor.ts'

export default route({
  at: 'POST /v1/bridge/channels/{channel}/ack',
  summary: 'End claimed messages: they are done, and deleted.',
  keywords: 'complete work, delete from the queue, acknowledge, acknowledge a message, mark a message as done',
  auth: ['key', 'wallet', 'none'],
  params: ChannelParam,
  body: Type.Object(
    {
      receipts: Type.Array(UuidText(), { minItems: 1, maxItems: 100 }),
    },
    { additionalProperties: false },
  ),
  reply: {
    status: 200,
    schema: Type.Object({
      done: Type.Integer(),
      stale: Type.Array(Type.String(), { description: 'Receipts of claims whose time was over.' }),
    }),
  },
  errors: [...VISITOR_ERRORS, 'NOT_A_QUEUE'],
  examples: [{ title: 'One message', input: { receipts: ['019ab3c4-5d6e-4f80-9a1b-2c3d4e5f6071'] } }],
  handle: (asked, context) => answerClaims(context.db, findVisitor(context, asked), asked.body.receipts),
})
