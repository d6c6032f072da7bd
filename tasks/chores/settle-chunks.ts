import { chore, type SignedPayment } from '#kit'
import type { ChoreDeps, PaymentDeps } from './deps.ts'

const BATCH = 20
/** Until then the call that sent the chunk may still be waiting for the receipt and will record it itself. */
const UNRESOLVED_AFTER_SECONDS = 120

export default chore<ChoreDeps>({
  summary:
    'Settle the chunks that wallets have paid on the chain, each once, and resolve those whose outcome is unknown.',
  every: '* * * * *',
  async run({ payments, log }) {
    if (!payments) return
    const counts = { settled: 0, failed: 0, unknown: 0, found: 0 }
    for (let due = await payments.claimDue(BATCH); due.length > 0; due = await payments.claimDue(BATCH)) {
      const statuses = await Promise.all(due.map(chunk => settleChunk(payments, chunk)))
      for (const end of statuses) counts[end]++
    }
    for (const chunk of await payments.listUnresolved(UNRESOLVED_AFTER_SECONDS, BATCH)) {
      if (await resolveChunk(payments, chunk)) counts.found++
    }
    await payments.deleteExpired()
    if (Object.values(counts).some(count => count > 0)) log(counts, 'chunks settled')
  },
})

interface Chunk {
  id: string
  payment: SignedPayment
}

/** A facilitator that threw may have broadcast the payment, so its chunk is looked up later and never sent again. */
async function settleChunk(payments: PaymentDeps, { id, payment }: Chunk): Promise<'settled' | 'failed' | 'unknown'> {
  const settlement = await payments.settle(payment).catch(() => ({ status: 'unknown' as const, txHash: undefined }))
  if (settlement.status === 'settled') await payments.markSettled(id, settlement.txHash)
  else if (settlement.status === 'failed') await payments.markFailed(id, settlement.reason)
  else await payments.markUnknown(id, settlement.txHash)
  return settlement.status
}

/** Until an authorization expires, its transaction may still be pending; once it expires unused, the payment failed. */
async function resolveChunk(payments: PaymentDeps, chunk: Chunk & { isExpired: boolean }): Promise<boolean> {
  const { state, txHash } = await payments.find(chunk.payment)
  if (state === 'used') return payments.markSettled(chunk.id, txHash)
  if (state === 'cancelled') return payments.markFailed(chunk.id, 'invalid_exact_evm_nonce_already_used')
  if (!chunk.isExpired) return false
  return payments.markFailed(chunk.id, 'invalid_exact_evm_payload_authorization_valid_before')
}
