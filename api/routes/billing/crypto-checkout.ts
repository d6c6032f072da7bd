import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import { formatUsd, type Micros, newId, Problem, usd } from '#kit'
import { readAccount } from '../../../sql/account.ts'
import { type PaidContext, takesPayments } from '../../context.ts'
import type { IncomingCall } from '../../incoming-call.ts'
import type { AnswerSink } from '../../intake/reply/sink.ts'
import { REASONS, refused } from '../../intake/x402/errors.ts'
import { keepCredit, prepay } from '../../intake/x402/funding.ts'
import { setReceiptHeaders } from '../../intake/x402/payment-headers.ts'
import { CHUNK_MICROS } from '../../intake/x402/payments.ts'
import { route } from '../../route.ts'

export default route({
  at: 'POST /v1/billing/crypto-checkout',
  summary: "Top up by x402: the amount is settled on the chain and credited to the paying wallet's account.",
  keywords: 'top up with usdc, add funds from a wallet, stablecoin, pay with crypto, deposit',
  description:
    'Call without a payment to get the offer, then call again with the payment. A payment is credited to the account of the wallet; a wallet that is linked to another account (POST /v1/account/wallets) pays into that account.',
  auth: ['x402', 'none'],
  servesPayments: true,
  body: Type.Object(
    { amountUsd: Type.String({ pattern: '^\\d{1,7}(\\.\\d{1,6})?$' }) },
    { additionalProperties: false },
  ),
  reply: {
    status: 200,
    schema: Type.Object({
      creditedMicros: Type.String(),
      balanceMicros: Type.String(),
      transaction: Type.String(),
      customerId: Type.String(),
    }),
  },
  errors: [
    'PAYMENT_REQUIRED',
    'UNDERPAID',
    'INVALID_PAYMENT_SIGNATURE',
    'IDEMPOTENCY_IN_FLIGHT',
    'PROVIDER_NOT_CONFIGURED',
    'PROVIDER_UNAVAILABLE',
  ],
  examples: [{ title: 'Top up 10 dollars from a wallet', input: { amountUsd: '10' } }],
  async handle({ body, request, reply }, context) {
    if (!takesPayments(context))
      throw new Problem('PROVIDER_NOT_CONFIGURED', { capability: 'x402', adapters: ['own', 'remote'] })
    const requestedMicros = parseAmount(context, body.amountUsd)
    return topUp(context, requestedMicros, request, reply)
  },
})

function parseAmount({ settings }: PaidContext, amountUsd: string): Micros {
  const amount = usd(amountUsd)
  const max = usd(String(Math.floor(settings.get('billing.max_usd'))))
  if (amount >= CHUNK_MICROS && amount <= max) return amount
  throw new Problem('INVALID_PARAM', { field: 'amountUsd', min: formatUsd(CHUNK_MICROS), max: formatUsd(max) })
}

async function topUp(
  context: PaidContext,
  requestedMicros: Micros,
  request: IncomingCall,
  reply: AnswerSink,
): Promise<object> {
  const { payment, caller } = request
  const amountMicros = requestedMicros.toString()
  if (!payment || !caller)
    throw new Problem('PAYMENT_REQUIRED', { amountMicros, amountUsd: formatUsd(requestedMicros) })
  const { value, from } = payment.signed.authorization
  const givenMicros = value.toString()
  if (value !== requestedMicros) throw refused(REASONS.value, { payer: from, amountMicros, givenMicros })
  const { accountId } = caller
  const fingerprint = createHash('sha256').update(`${request.url}\n${amountMicros}`).digest()
  const booking = { id: newId(), accountId, serviceKey: 'billing.crypto-checkout', amountMicros: requestedMicros }
  const { funding, refusal } = await prepay(context, payment, fingerprint, booking)
  if (refusal) throw new Problem(refusal.kind === 'suspended' ? 'ACCOUNT_SUSPENDED' : 'IDEMPOTENCY_IN_FLIGHT')
  await keepCredit(context, funding)
  const { chunk, txHash } = funding.entry
  const receipt = { chunkId: chunk?.id, leftMicros: value, heldMicros: value, txHash }
  setReceiptHeaders(reply, { ...funding, receipt }, { chargedMicros: value })
  const account = await readAccount(context.db, accountId)
  const { balanceMicros } = account!
  return { creditedMicros: givenMicros, balanceMicros, transaction: txHash ?? '', customerId: accountId }
}
