import { Type } from 'typebox'

const Text = Type.Union([Type.String(), Type.Null()])

export const TriggerReply = Type.Object({
  id: Type.String({ format: 'uuid' }),
  url: Type.String(),
  events: Type.Array(Type.String()),
  description: Text,
  secret: Type.String({ description: 'Signs every delivery.' }),
  active: Type.Boolean(),
  consecutiveFailures: Type.Integer({ description: 'Failed attempts since the last success.' }),
  disabledReason: Text,
  createdAt: Type.String({ format: 'date-time' }),
})
