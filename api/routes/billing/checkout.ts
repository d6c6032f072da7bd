import { Type } from 'typebox'
import { Choice, Problem } from '#kit'
import { route } from '../../route.ts'
import { beginCheckout, PACKS } from './schema.ts'

export default route({
  at: 'POST /v1/billing/checkout',
  summary: 'Start a top-up of the balance. The response has the address of the payment page.',
  keywords: 'top up, add money, add credit, pay by card, buy credit, stripe',
  auth: ['session'],
  body: Type.Object(
    {
      pack: Type.Optional(Choice(PACKS)),
      amountUsd: Type.Optional(Type.String({ pattern: '^\\d{1,7}(\\.\\d{1,2})?$' })),
    },
    { additionalProperties: false },
  ),
  reply: {
    status: 201,
    schema: Type.Object({
      id: Type.String(),
      url: Type.String(),
      amountMicros: Type.String(),
      provider: Choice(['stripe', 'test']),
    }),
  },
  errors: [
    'CONFLICTING_OPTIONS',
    'PROVIDER_NOT_CONFIGURED',
    'PROVIDER_UNAVAILABLE',
    'MODE_DISABLED',
    'CSRF_REJECTED',
    'MISSING_AUTH',
  ],
  examples: [{ title: 'Top up 20 dollars', input: { pack: '20' } }],
  handle({ caller, body: { pack, amountUsd } }, context) {
    const amount = pack ?? amountUsd
    if (amount === undefined) throw new Problem('MISSING_FIELD', { field: 'pack' })
    if (pack && amountUsd) throw new Problem('CONFLICTING_OPTIONS', { fields: ['pack', 'amountUsd'] })
    return beginCheckout(context, caller, amount)
  },
})
