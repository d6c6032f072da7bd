import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import { newId } from '#kit'
import { REASONS } from '../../intake/x402/errors.ts'
import { keepCredit, prepay } from '../../intake/x402/funding.ts'
import { route } from '../../route.ts'
import { encodePayload, PaymentToCheck, readMinAmount, readReason, requireOperator } from './schema.ts'

export default route({
  at: 'POST /x402/settle',
  summary: 'Settle a payment that no call has used. It is credited to the wallet that signed it.',
  auth: ['none'],
  servesPayments: true,
  ownAuth: true,
  hidden: true,
  body: PaymentToCheck,
  reply: { status: 200, schema: Type.Object({ success: Type.Boolean(), transaction: Type.String() }) },
  errors: ['UNAUTHENTICATED', 'MODE_DISABLED', 'PROVIDER_NOT_CONFIGURED', 'PROVIDER_UNAVAILABLE'],
  async handle({ body, request }, context) {
    requireOperator(context, request)
    const network = context.payments.network.caip2
    const createFailure = (errorReason: string) => ({ success: false, errorReason, transaction: '', network })
    try {
      const header = encodePayload(body)
      const payment = await context.payments.open(header)
      const { value, from } = payment.signed.authorization
      if (value < readMinAmount(body)) return createFailure(REASONS.value)
      const { accountId } = payment.caller
      const booking = { id: newId(), accountId, serviceKey: 'x402.settle', amountMicros: value }
      const { funding, refusal } = await prepay(context, payment, createHash('sha256').update(header).digest(), booking)
      const { txHash } = funding.entry
      if (refusal || txHash === undefined) return createFailure(REASONS.nonceUsed)
      await keepCredit(context, funding)
      return { success: true, transaction: txHash, network, payer: from, amount: value.toString() }
    } catch (error) {
      return createFailure(readReason(error))
    }
  },
})
