import { type Static, Type } from 'typebox'
import { Choice, newId, type Price, usd } from '#kit'
import { openChannel, type TokenView } from '../../../../sql/channel/channels.ts'
import { BILLABLE_AUTH } from '../../../intake/billable.ts'
import { route } from '../../../route.ts'
import { Channel, JOIN, MESSAGE_LIMIT, NewToken, Role, revealToken, Text } from '../schema.ts'

const Body = Type.Object(
  {
    name: Type.Optional(Text(200)),
    mode: Choice(['broadcast', 'queue'], {
      default: 'broadcast',
      description: '`broadcast`: every reader gets every message; `queue`: each message is claimed by one of them.',
    }),
    ttlSeconds: Type.Integer({ minimum: 60, maximum: 2_592_000, default: 604_800 }),
    maxMessages: Type.Integer({ ...MESSAGE_LIMIT, default: 1_000, description: 'How many messages you pay for.' }),
    maxMessageBytes: Type.Integer({ minimum: 16, maximum: 65_536, default: 65_536 }),
    history: Type.Boolean({
      default: true,
      description: 'Whether a new token reads what was sent before it was made.',
    }),
    tokens: Type.Array(
      Type.Object({ role: Role, label: Type.Optional(Text(200, 'Who gets it; messages show it as their sender.')) }),
      { maxItems: 20, default: [{ role: 'read_write' }], description: 'For those who take part without an account.' },
    ),
  },
  { additionalProperties: false },
)

const PRICE: Price<Static<typeof Body>> = {
  unit: '100 messages',
  ...{ rateMicros: usd('0.001'), baseMicros: usd('0.005'), basis: 'body', minUnits: 1, maxUnits: 100 },
  units: ({ maxMessages }) => Math.ceil(maxMessages / 100),
}

export default route({
  at: 'POST /v1/bridge/channels',
  summary: 'Open a channel by which agents send each other messages, in order.',
  keywords:
    'chat room for agents, work queue shared between agents, message bus, publish subscribe, pubsub, pub sub channel, work queue, queue of jobs, task queue, agent to agent messages',
  description: 'Its messages are paid for in advance, so whoever has a token of it needs no account.',
  auth: BILLABLE_AUTH,
  body: Body,
  bodyOptional: true,
  reply: { status: 201, schema: Type.Object({ ...Channel.properties, joinTokens: Type.Array(NewToken) }) },
  price: PRICE,
  settles: true,
  errors: ['INVALID_PARAM', 'TOO_MANY_CHANNELS', 'TIME_LIMIT_EXCEEDED'],
  examples: [
    { title: 'A room for two agents', input: { name: 'plan', tokens: [{ role: 'read_write', label: 'critic' }] } },
    {
      title: 'A queue of work',
      input: { mode: 'queue', maxMessages: 200, tokens: [{ role: 'read', label: 'worker' }] },
    },
  ],
  handle({ body, job }, { config, db, settings }) {
    const { name, mode, history: keepsHistory, maxMessages: messages, maxMessageBytes, ttlSeconds: seconds } = body
    // Those of one millisecond have no order of their own, and tokens are listed by their ids.
    const ids = body.tokens.map(() => newId()).sort()
    const tokens = body.tokens.map(({ role, label }, index) => {
      const id = ids[index]!
      return { id, role, label, tokenHash: JOIN.hash(config.secret, JOIN.derive(config.secret, id)) }
    })
    const channel = { id: newId(), name, mode, keepsHistory, messages, maxMessageBytes, seconds, tokens }
    return openChannel(db, job!, channel, settings.get('channel.max_open'))
  },
  reveal(result, { config }) {
    const { joinTokens } = result as { joinTokens: TokenView[] }
    return {
      ...(result as object),
      joinTokens: joinTokens.map(token => ({ ...token, ...revealToken(config, token.id) })),
    }
  },
})
