import { Type } from 'typebox'
import { Choice } from '#kit'
import { route } from '../../route.ts'
import { buildOffer } from './schema.ts'

export default route({
  at: 'GET /v1/billing/packs',
  summary: 'List the amounts to top up a balance with, and the bounds for a custom amount.',
  keywords: 'top up, buy credit, add funds, pay by card',
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
  handle: (_call, context) => buildOffer(context),
})
