import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import { Funding } from '../../intake/x402/fund.ts'
import { REASONS } from '../../intake/x402/refusal.ts'
import { route } from '../../route.ts'
import { Asked, headerOf, leastOf, reasonOf, requireOperator } from './shape.ts'

export default route({
  at: 'POST /x402/settle',
  summary: 'Settle a payment that no call has used. It becomes credit of the wallet that signed it.',
  auth: ['none'],
  ownAuth: true,
  hidden: true,
  body: Asked,
  reply: { status: 200, schema: Type.Object({ success: Type.Boolean(), transaction: Type.String() }) },
  errors: ['UNAUTHENTICATED', 'MODE_DISABLED', 'PROVIDER_NOT_CONFIGURED', 'PROVIDER_UNAVAILABLE'],
  async handle({ body, request }, floor) {
    requireOperator(floor, request)
    const network = floor.payments.network.caip2
    const failed = (errorReason: string) => ({ success: false, errorReason, transaction: '', network })
    try {
      const header = headerOf(body)
      const payment = await floor.payments.open(header)
      const { value, from } = payment.signed.authorization
      if (value < leastOf(body)) return failed(REASONS.value)
      const funding = new Funding(floor, payment, createHash('sha256').update(header).digest())
      const booking = { id: funding.jobId, accountId: payment.caller.accountId, serviceKey: 'x402.settle' }
      const refusal = await funding.prepay({ ...booking, amountMicros: value })
      if (refusal || funding.txHash === undefined) return failed(REASONS.nonceUsed)
      await funding.keepCredit()
      return { success: true, transaction: funding.txHash, network, payer: from, amount: value.toString() }
    } catch (error) {
      return failed(reasonOf(error))
    }
  },
})
