import { Type } from 'typebox'
import { Choice } from '#kit'
import { defineTokens } from '../../../ops/tokens.ts'

const Time = Type.String({ format: 'date-time' })

export const NameParam = Type.Object({
  name: Type.String({
    pattern: '^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$',
    description: 'Its name in your account or channel: letters, digits and `._:-`.',
    examples: ['deploy'],
  }),
})

/** Whose name it is, if not the account's own. */
export const InChannel = Type.Optional(
  Type.String({
    maxLength: 100,
    description: 'The name belongs to this channel: its id, or a token of it. Agents of other accounts meet there.',
  }),
)

export const ChannelQuery = Type.Object({ channel: InChannel }, { additionalProperties: false })

export const Label = (description: string) =>
  Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\u0000\\ud800-\\udfff]*$', description })

export const WaitSeconds = (maximum: number) =>
  Type.Integer({ minimum: 0, maximum, default: 0, description: 'How long to wait, in seconds.' })

export const Lock = Type.Object({
  name: Type.String(),
  isHeld: Type.Boolean(),
  owner: Type.Union([Type.String(), Type.Null()], { description: 'Who holds it, or did last.' }),
  fence: Type.Integer({ description: 'Rises with every acquisition.' }),
  acquiredAt: Time,
  expiresAt: Time,
})

export const Barrier = Type.Object({
  name: Type.String(),
  round: Type.Integer(),
  state: Choice(['open', 'released', 'expired']),
  parties: Type.Integer(),
  arrived: Type.Integer(),
  members: Type.Array(Type.String()),
  createdAt: Time,
  expiresAt: Time,
  releasedAt: Type.Union([Time, Type.Null()]),
})

export const Counter = Type.Object({ name: Type.String(), value: Type.Integer(), updatedAt: Time })

export const Round = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'The last round, if it is left out.' }),
)

/** The token of a hold follows from its id, so that a repeat of the call is told the same. */
export const HOLD_TOKEN = defineTokens('lck_', 'lock-hold')

export const HoldToken = Type.String({ minLength: 1, maxLength: 100, description: 'The `token` of the acquisition.' })

export const CHANNEL_ERRORS = ['GONE', 'FORBIDDEN', 'RATE_LIMITED'] as const

export const READ_ERRORS = [
  'INVALID_PARAM',
  'NOT_FOUND',
  'MISSING_AUTH',
  'UNAUTHENTICATED',
  'ACCOUNT_SUSPENDED',
  ...CHANNEL_ERRORS,
] as const
