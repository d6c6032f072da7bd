import { claimHandoff } from '../../../sql/handoff/claims.ts'
import type { ApiContext } from '../../context.ts'
import type { AnswerSink } from '../../intake/reply/sink.ts'
import { chooseReceipt, completeWhenSent, hashHandoffToken, hashPin, requireFreeHandoff } from './tokens.ts'

interface Claimant {
  token: string
  accountId: string | undefined
  pin: string | undefined
  /** The receipt of an earlier claim that was broken off. */
  receipt: string | undefined
}

/** Claims what is behind a link, which counts once it was sent whole. Tells when a PIN is missing or wrong. */
export async function claim(context: ApiContext, reply: AnswerSink, claimant: Claimant) {
  requireFreeHandoff(context)
  const tokenHash = hashHandoffToken(context, claimant.token)
  const { receipt, hash: receiptHash, isRepeat } = chooseReceipt(context, claimant.receipt)
  const pinHash = hashPin(context, claimant.token, claimant.pin)
  const found = await claimHandoff(context.db, tokenHash, {
    accountId: claimant.accountId,
    pinHash,
    receiptHash,
    isRepeat,
  })
  if ('fault' in found) return found
  completeWhenSent(context, reply, receiptHash)
  return { ...found, receipt }
}
