import { Type } from 'typebox'
import { REASONS } from '../../intake/x402/refusal.ts'
import { route } from '../../route.ts'
import { Asked, headerOf, leastOf, reasonOf, requireOperator } from './shape.ts'

export default route({
  at: 'POST /x402/verify',
  summary: 'Whether a payment would be taken: shape, times, signature, nonce, balance. Nothing is booked.',
  auth: ['none'],
  ownAuth: true,
  hidden: true,
  body: Asked,
  reply: {
    status: 200,
    schema: Type.Object({ isValid: Type.Boolean(), invalidReason: Type.Optional(Type.String()) }),
  },
  errors: ['UNAUTHENTICATED', 'MODE_DISABLED', 'PROVIDER_NOT_CONFIGURED'],
  async handle({ body, request }, floor) {
    requireOperator(floor, request)
    try {
      const { authorization } = await floor.payments.inspect(headerOf(body))
      if (authorization.value < leastOf(body)) return { isValid: false, invalidReason: REASONS.value }
      return { isValid: true, payer: authorization.from }
    } catch (error) {
      return { isValid: false, invalidReason: reasonOf(error) }
    }
  },
})
