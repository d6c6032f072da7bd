import { chore, type SignedPayment } from '#kit'
import type { ChoreHands, PaymentHands } from './shape.ts'

const BATCH = 20
/** What a call waits for is told by the call itself, unless its process is gone. */
const LOST_AFTER_SECONDS = 120

export default chore<ChoreHands>({
  summary:
    'Put the chunks that wallets have paid onto the chain, once each, and find out what became of those in doubt.',
  every: '* * * * *',
  async run({ payments, say }) {
    if (!payments) return
    const told = { settled: 0, failed: 0, unknown: 0, found: 0 }
    for (let due = await payments.due(BATCH); due.length > 0; due = await payments.due(BATCH)) {
      const ends = await Promise.all(due.map(chunk => send(payments, chunk)))
      for (const end of ends) told[end]++
    }
    for (const chunk of await payments.lost(LOST_AFTER_SECONDS, BATCH)) {
      if (await look(payments, chunk)) told.found++
    }
    await payments.forget()
    if (Object.values(told).some(count => count > 0)) say(told, 'chunks settled')
  },
})

interface Chunk {
  id: string
  payment: SignedPayment
}

/** A settler that threw may have broadcast, so its chunk is looked for and never sent again. */
async function send(payments: PaymentHands, { id, payment }: Chunk): Promise<'settled' | 'failed' | 'unknown'> {
  const settlement = await payments.settle(payment).catch(() => ({ status: 'unknown' as const, txHash: undefined }))
  if (settlement.status === 'settled') await payments.settled(id, settlement.txHash)
  else if (settlement.status === 'failed') await payments.failed(id, settlement.reason)
  else await payments.unknown(id, settlement.txHash)
  return settlement.status
}

/** While an authorization is alive its transaction may still be waiting; when it is dead and unused, it never came. */
async function look(payments: PaymentHands, chunk: Chunk & { isExpired: boolean }): Promise<boolean> {
  const state = await payments.find(chunk.payment)
  if (state === 'used') return payments.settled(chunk.id, undefined)
  if (state === 'cancelled') return payments.failed(chunk.id, 'invalid_exact_evm_nonce_already_used')
  if (!chunk.isExpired) return false
  return payments.failed(chunk.id, 'invalid_exact_evm_payload_authorization_valid_before')
}
