import { Type } from 'typebox'
import { Choice, Problem } from '#kit'
import type { Config } from '../../../ops/config.ts'
import { defineTokens } from '../../../ops/tokens.ts'

const Time = Type.String({ format: 'date-time' })
const NullableText = Type.Union([Type.String(), Type.Null()])

export const Text = (maxLength: number, description?: string) =>
  Type.String({ minLength: 1, maxLength, pattern: '^[^\\u0000\\ud800-\\udfff]*$', ...(description && { description }) })

export const Role = Choice(['read', 'write', 'read_write'])

export const ChannelParam = Type.Object({
  channel: Type.String({ maxLength: 100, description: 'The id of a channel of yours, or a token of a channel.' }),
})

export const OwnChannelParam = Type.Object({ channel: Type.String({ description: 'The id of a channel of yours.' }) })

export const Token = Type.Object({
  id: Type.String({ format: 'uuid' }),
  role: Role,
  label: NullableText,
  createdAt: Time,
})

export const NewToken = Type.Object({
  ...Token.properties,
  token: Type.String({ description: 'Whoever has it takes part, with it in place of the id.' }),
  messagesUrl: Type.String({
    format: 'uri',
    description: 'Where whoever has the token takes part, without a key.',
  }),
})

export const Channel = Type.Object({
  id: Type.String(),
  name: NullableText,
  mode: Choice(['broadcast', 'queue']),
  state: Choice(['open', 'closed', 'expired']),
  history: Type.Boolean(),
  messages: Type.Integer({ description: 'How many there were so far.' }),
  maxMessages: Type.Integer({ description: 'How many are paid for.' }),
  maxMessageBytes: Type.Integer(),
  createdAt: Time,
  expiresAt: Time,
})

export const Message = Type.Object({
  id: Type.String(),
  seq: Type.Integer(),
  sender: Type.Union([Type.String(), Type.Null()], { description: 'The label of its token; null if it has none.' }),
  type: NullableText,
  to: NullableText,
  replyTo: NullableText,
  body: Type.Unknown(),
  createdAt: Time,
  attempts: Type.Integer({ description: 'How often it was handed out.' }),
  isDead: Type.Boolean(),
})

export const Members = Type.Object({
  data: Type.Array(Type.Object({ member: Type.String(), state: NullableText, seenAt: Time, expiresAt: Time })),
})

/** The token of an id of one, so that a repeat of the call is told the same. */
export const JOIN = defineTokens('brt_', 'channel-token')

/** A token as only its maker is shown it. */
export function revealToken({ secret, publicUrl }: Pick<Config, 'secret' | 'publicUrl'>, id: string) {
  const token = JOIN.derive(secret, id)
  return { token, messagesUrl: `${publicUrl}/v1/bridge/channels/${token}/messages` }
}

const MAX_MESSAGES = 10_000
export const MESSAGE_LIMIT = { minimum: 1, maximum: MAX_MESSAGES }

/** All the messages that a channel can have, however often more are paid for. */
export const MAX_MESSAGES_EVER = 1_000_000

export const VISITOR_ERRORS = [
  ...(['INVALID_PARAM', 'NOT_FOUND', 'GONE', 'FORBIDDEN', 'RATE_LIMITED', 'MISSING_AUTH'] as const),
  ...(['UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'] as const),
]

/** The id without its prefix, as the database has it. */
export function parseId(prefix: 'chn_' | 'msg_', text: string): string {
  const hex = text.slice(prefix.length)
  if (!text.startsWith(prefix) || !/^[0-9a-f]{32}$/.test(hex)) throw new Problem('NOT_FOUND')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
