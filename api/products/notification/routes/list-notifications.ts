import { Type } from 'typebox'
import { Choice } from '#kit'
import { listNotifications } from '../../../../sql/notification/outbox.ts'
import { route } from '../../../route.ts'
import { showNotification } from '../message.ts'

const NullableText = Type.Union([Type.String(), Type.Null()])
const NullableTime = Type.Union([Type.String({ format: 'date-time' }), Type.Null()])
const State = Choice(['waiting', 'sent', 'kept', 'refused'], {
  description:
    '`waiting`: it is sent soon, or again after an attempt that failed; `kept`: no mail server or no address is known, so it can only be read here; `refused`: the recipient does not exist.',
})

export default route({
  at: 'GET /v1/notifications',
  summary: 'List the messages that were sent to you or in your name, newest first, and what became of each.',
  keywords: 'mail sent to me, outbox, was the email sent, my messages, alerts',
  description: 'What only its recipient may read, such as a link that opens something, is left out of the text.',
  auth: ['key', 'wallet'],
  query: Type.Object(
    {
      name: Type.Optional(Type.String({ pattern: '^[\\w.-]{1,100}$', description: 'Such as `webhook.disabled`.' })),
      state: Type.Optional(State),
      limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
      offset: Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0 }),
    },
    { additionalProperties: false },
  ),
  reply: {
    status: 200,
    schema: Type.Object({
      data: Type.Array(
        Type.Object({
          id: Type.String({ format: 'uuid' }),
          name: Type.String(),
          recipient: NullableText,
          state: State,
          attempts: Type.Integer(),
          lastError: NullableText,
          createdAt: Type.String({ format: 'date-time' }),
          endedAt: NullableTime,
          subject: Type.String(),
          text: NullableText,
        }),
      ),
      pagination: Type.Object({ limit: Type.Integer(), offset: Type.Integer(), hasMore: Type.Boolean() }),
    }),
  },
  errors: ['INVALID_PARAM', 'UNKNOWN_FIELD', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  async handle({ caller, query: { limit, offset, ...filter } }, { config, db }) {
    const found = await listNotifications(db, caller.accountId, { ...filter, limit: limit + 1, offset })
    const data = found.slice(0, limit).map(stored => showNotification(stored, config.publicUrl))
    return { data, pagination: { limit, offset, hasMore: found.length > limit } }
  },
})
