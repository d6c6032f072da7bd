import { Type } from 'typebox'
import { REASONS } from '../../intake/x402/errors.ts'
import { route } from '../../route.ts'
import { encodePayload, PaymentToCheck, readMinAmount, readReason, requireOperator } from './schema.ts'

export default route({
  at: 'POST /x402/verify',
  summary: 'Check whether a payment would be accepted: form, times, signature, nonce and balance. Nothing is charged.',
  auth: ['none'],
  servesPayments: true,
  ownAuth: true,
  hidden: true,
  body: PaymentToCheck,
  reply: {
    status: 200,
    schema: Type.Object({ isValid: Type.Boolean(), invalidReason: Type.Optional(Type.String()) }),
  },
  errors: ['UNAUTHENTICATED', 'MODE_DISABLED', 'PROVIDER_NOT_CONFIGURED'],
  async handle({ body, request }, context) {
    requireOperator(context, request)
    try {
      const { authorization } = await context.payments.inspect(encodePayload(body))
      if (authorization.value < readMinAmount(body)) return { isValid: false, invalidReason: REASONS.value }
      return { isValid: true, payer: authorization.from }
    } catch (error) {
      return { isValid: false, invalidReason: readReason(error) }
    }
  },
})
