import { Type } from 'typebox'
import { readMessages } from '../../../../sql/channel/messages.ts'
import { route } from '../../../route.ts'
import { ChannelParam, Message, Text, VISITOR_ERRORS } from '../schema.ts'
import { countAs, findVisitor } from '../visitor.ts'

export default route({
  at: 'GET /v1/bridge/channels/{channel}/messages',
  summary: 'Read the messages of a channel after a number, or wait for the next.',
  keywords: 'receive messages, poll a channel, wait for a message, subscribe, long poll',
  auth: ['key', 'wallet', 'none'],
  params: ChannelParam,
  query: Type.Object(
    {
      after: Type.Integer({ minimum: 0, maximum: 2_147_483_647, default: 0, description: 'The last `seq` you have.' }),
      limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
      waitSec: Type.Integer({ minimum: 0, maximum: 55, default: 0, description: 'How long to wait if there is none.' }),
      types: Type.Optional(Text(1_000, 'Only these, with commas between them.')),
      to: Type.Optional(Text(200, 'Only those for this one, and those for nobody in particular.')),
      isDead: Type.Boolean({
        default: false,
        description: 'Those of a queue that were handed out five times in vain.',
      }),
    },
    { additionalProperties: false },
  ),
  reply: {
    status: 200,
    schema: Type.Object({
      data: Type.Array(Message),
      next: Type.Integer({ description: 'The `after` of the next call.' }),
    }),
  },
  errors: [...VISITOR_ERRORS, 'UNKNOWN_FIELD', 'TOO_MANY_WAITS', 'TIME_LIMIT_EXCEEDED'],
  async handle(asked, context) {
    const { query, reply } = asked
    const { after, limit, to, isDead } = query
    const visitor = findVisitor(context, asked)
    const filter = { after, to, isDead, types: query.types?.split(',') ?? [] }
    const { clock, db, longPolls, settings } = context
    const first = await readMessages(db, visitor, filter, limit)
    const wait = {
      accountId: countAs(visitor),
      seconds: query.waitSec,
      reply,
      max: settings.get('rate.waits_per_account'),
    }
    const data =
      first.messages.length > 0
        ? first.messages
        : await longPolls.until(`channel ${first.channel}`, wait, async () => {
            const { messages, expiresAt } = await readMessages(db, visitor, filter, limit)
            return { found: messages, isFinal: messages.length > 0, changesInMs: Date.parse(expiresAt) - clock.now() }
          })
    return { data, next: data.at(-1)?.seq ?? after }
  },
})
