import { Type } from 'typebox'
import { Choice } from '#kit'
import { route } from '../../route.ts'
import { offerOf } from './shape.ts'

export default route({
  at: 'GET /v1/billing/packs',
  summary: 'The amounts a balance can be topped up by, and the bounds of an amount of your own.',
  auth: ['none'],
  reply: {
    status: 200,
    schema: Type.Object({
      packs: Type.Array(Type.Object({ id: Type.String(), amountUsd: Type.String(), amountMicros: Type.String() })),
      custom: Type.Object({ minUsd: Type.String(), maxUsd: Type.String() }),
      provider: Type.Union([Choice(['stripe', 'test']), Type.Null()]),
    }),
  },
  errors: [],
  handle: (_asked, floor) => offerOf(floor),
})
