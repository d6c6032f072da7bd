import { Type } from 'typebox'
import { claimMessages } from '../../../../sql/channel/messages.ts'
import { route } from '../../../route.ts'
import { ChannelParam, Message, VISITOR_ERRORS } from '../schema.ts'
import { countAs, findVisitor } from '../visitor.ts'

export default route({
  at: 'POST /v1/bridge/channels/{channel}/claim',
  summary: 'Claim messages of a queue, so that nobody else works on them.',
  keywords: 'take work from a queue, consume, lease a message, receive work',
  description:
    'A claim ends with ack or nack. Without either the message is handed out again when its time is over, and after five times it is dead.',
  auth: ['key', 'wallet', 'none'],
  params: ChannelParam,
  body: Type.Object(
    {
      visibilitySeconds: Type.Integer({ minimum: 1, maximum: 43_200, default: 30 }),
      max: Type.Integer({ minimum: 1, maximum: 100, default: 1 }),
      waitSec: Type.Integer({ minimum: 0, maximum: 55, default: 0, description: 'How long to wait if there is none.' }),
    },
    { additionalProperties: false },
  ),
  bodyOptional: true,
  reply: {
    status: 200,
    schema: Type.Object({
      data: Type.Array(
        Type.Object({
          ...Message.properties,
          receipt: Type.String({ format: 'uuid' }),
          visibleAt: Type.String({ format: 'date-time', description: 'When it is handed out again.' }),
        }),
      ),
    }),
  },
  errors: [...VISITOR_ERRORS, 'NOT_A_QUEUE', 'TOO_MANY_WAITS', 'TIME_LIMIT_EXCEEDED'],
  examples: [{ title: 'One message, for a minute', input: { visibilitySeconds: 60 } }],
  async handle(asked, context) {
    const { db, longPolls, settings } = context
    const { visibilitySeconds: seconds, max, waitSec } = asked.body
    const visitor = findVisitor(context, asked)
    const first = await claimMessages(db, visitor, { seconds, max })
    if (first.messages.length > 0 || waitSec === 0) return { data: first.messages }
    const reply = asked.reply
    const wait = { accountId: countAs(visitor), seconds: waitSec, reply, max: settings.get('rate.waits_per_account') }
    const data = await longPolls.inTurnUntil(`channel ${first.channel}`, wait, async () => {
      const { messages, nextMs } = await claimMessages(db, visitor, { seconds, max })
      return { found: messages, isFinal: messages.length > 0, changesInMs: nextMs }
    })
    return { data }
  },
})
