import { type Static, Type } from 'typebox'
import { type Price, usd } from '#kit'
import { extendChannel } from '../../../../sql/channel/channels.ts'
import { BILLABLE_AUTH } from '../../../intake/billable.ts'
import { route } from '../../../route.ts'
import { Channel, MAX_MESSAGES_EVER, MESSAGE_LIMIT, OwnChannelParam, parseId } from '../schema.ts'

const Body = Type.Object(
  { messages: Type.Integer({ ...MESSAGE_LIMIT, default: 1_000, description: 'How many more.' }) },
  { additionalProperties: false },
)

const PRICE: Price<Static<typeof Body>> = {
  unit: '100 messages',
  ...{ rateMicros: usd('0.001'), baseMicros: 0n, basis: 'body', minUnits: 1, maxUnits: 100 },
  units: ({ messages }) => Math.ceil(messages / 100),
}

export default route({
  at: 'POST /v1/bridge/channels/{channel}/extend',
  summary: 'Pay for more messages of a channel.',
  keywords: 'channel is full, more messages, top up a channel',
  auth: BILLABLE_AUTH,
  params: OwnChannelParam,
  body: Body,
  bodyOptional: true,
  reply: { status: 200, schema: Channel },
  price: PRICE,
  settles: true,
  errors: ['INVALID_PARAM', 'NOT_FOUND', 'GONE', 'CHANNEL_FULL', 'TIME_LIMIT_EXCEEDED'],
  examples: [{ title: 'A thousand more', input: { messages: 1_000 } }],
  handle({ params, body: { messages }, job }, { db }) {
    return extendChannel(db, job!, { id: parseId('chn_', params.channel), messages, most: MAX_MESSAGES_EVER })
  },
})
