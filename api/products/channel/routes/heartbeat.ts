import { Type } from 'typebox'
import { seeMember } from '../../../../sql/channel/messages.ts'
import { route } from '../../../route.ts'
import { ChannelParam, Members, Text, VISITOR_ERRORS } from '../schema.ts'
import { findVisitor } from '../visitor.ts'

export default route({
  at: 'POST /v1/bridge/channels/{channel}/heartbeat',
  summary: 'Say that you are in a channel, and learn who else is.',
  keywords: 'presence, online, who is there, alive',
  auth: ['key', 'wallet', 'none'],
  params: ChannelParam,
  body: Type.Object(
    {
      member: Text(200, 'Who you are.'),
      state: Type.Optional(Text(500, 'What you are doing.')),
      ttlSeconds: Type.Integer({
        minimum: 5,
        maximum: 3_600,
        default: 60,
        description: 'Until when it counts, at most until the channel ends.',
      }),
    },
    { additionalProperties: false },
  ),
  reply: { status: 200, schema: Members },
  errors: [...VISITOR_ERRORS, 'TOO_MANY_MEMBERS'],
  examples: [{ title: 'For a minute', input: { member: 'critic', state: 'reading' } }],
  async handle(asked, context) {
    const { member, state, ttlSeconds: seconds } = asked.body
    const visitor = findVisitor(context, asked)
    const max = context.settings.get('channel.max_members')
    return { data: await seeMember(context.db, visitor, { member, state, seconds }, max) }
  },
})
