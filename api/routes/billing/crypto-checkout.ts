import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { formatUsd, type Micros, Problem, usd } from '#kit'
import { readAccount } from '../../../sql/account.ts'
import { Funding } from '../../intake/x402/fund.ts'
import { CHUNK_MICROS } from '../../intake/x402/payload.ts'
import { sayReceipt } from '../../intake/x402/receipt.ts'
import { REASONS, refused } from '../../intake/x402/refusal.ts'
import { isPaidFloor, meet, type PaidFloor, told } from '../../intake/x402/stranger.ts'
import { route } from '../../route.ts'

export default route({
  at: 'POST /v1/billing/crypto-checkout',
  summary: "Top up by x402: the amount is settled on the chain and credited to the paying wallet's account.",
  description:
    'Ask without a payment for the offer, then pay it. The wallet is the account; joined to one before (POST /v1/account/wallets), its payments are credited there.',
  auth: ['x402', 'none'],
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
  async handle({ body, request, reply }, floor) {
    if (!isPaidFloor(floor))
      throw new Problem('PROVIDER_NOT_CONFIGURED', { capability: 'x402', adapters: ['own', 'remote'] })
    const asked = amountOf(floor, body.amountUsd)
    try {
      return await topUp(floor, asked, request, reply)
    } catch (error) {
      throw told(error, reply, floor.payments)
    }
  },
})

function amountOf({ settings }: PaidFloor, amountUsd: string): Micros {
  const amount = usd(amountUsd)
  const max = usd(String(Math.floor(settings.get('billing.max_usd'))))
  if (amount >= CHUNK_MICROS && amount <= max) return amount
  throw new Problem('INVALID_PARAM', { field: 'amountUsd', min: formatUsd(CHUNK_MICROS), max: formatUsd(max) })
}

async function topUp(floor: PaidFloor, asked: Micros, request: FastifyRequest, reply: FastifyReply): Promise<object> {
  const { payment, caller } = await meet(floor, request, reply)
  const amountMicros = asked.toString()
  if (!payment || !caller) throw new Problem('PAYMENT_REQUIRED', { amountMicros, amountUsd: formatUsd(asked) })
  const { value, from } = payment.signed.authorization
  const givenMicros = value.toString()
  if (value !== asked) throw refused(REASONS.value, { payer: from, amountMicros, givenMicros })
  const { accountId } = caller
  const fingerprint = createHash('sha256').update(`${request.url}\n${amountMicros}`).digest()
  const funding = new Funding(floor, payment, fingerprint)
  const serviceKey = 'billing.crypto-checkout'
  const refusal = await funding.prepay({ id: funding.jobId, accountId, serviceKey, amountMicros: asked })
  if (refusal) throw new Problem(refusal.kind === 'suspended' ? 'ACCOUNT_SUSPENDED' : 'IDEMPOTENCY_IN_FLIGHT')
  await funding.keepCredit()
  funding.receipt = { chunkId: funding.chunkId, leftMicros: value, txHash: funding.txHash }
  sayReceipt(reply, funding, value)
  const account = await readAccount(floor.db, accountId)
  const { balanceMicros } = account!
  return { creditedMicros: givenMicros, balanceMicros, transaction: funding.txHash ?? '', customerId: accountId }
}
