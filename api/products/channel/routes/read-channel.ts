import { Type } from 'typebox'
import { Choice } from '#kit'
import { readChannel } from '../../../../sql/channel/channels.ts'
import { route } from '../../../route.ts'
import { Channel, ChannelParam, Token, VISITOR_ERRORS } from '../schema.ts'
import { findVisitor } from '../visitor.ts'

export default route({
  at: 'GET /v1/bridge/channels/{channel}',
  summary: 'Tell what a channel is, and what you may do there.',
  keywords: 'channel state, how many messages are left',
  auth: ['key', 'wallet', 'none'],
  params: ChannelParam,
  reply: {
    status: 200,
    schema: Type.Object({
      ...Channel.properties,
      role: Choice(['owner', 'read', 'write', 'read_write']),
      label: Type.Optional(Type.Union([Type.String(), Type.Null()])),
      joinTokens: Type.Optional(Type.Array(Token, { description: 'For the owner.' })),
    }),
  },
  errors: VISITOR_ERRORS,
  handle: (asked, context) => readChannel(context.db, findVisitor(context, asked)),
})
