import { Problem } from '#kit'
import { hashToken } from '../../../ops/secrets.ts'
import { defineTokens } from '../../../ops/tokens.ts'
import { completeClaim } from '../../../sql/handoff/claims.ts'
import type { ApiContext } from '../../context.ts'
import type { IncomingRequest } from '../../incoming-call.ts'
import { requireTokenRate } from '../../intake/identity/rate-limit.ts'
import type { AnswerSink } from '../../intake/reply/sink.ts'

export const LINK = defineTokens('hnd_', 'handoff-token')
const RECEIPT = defineTokens('rcp_', 'claim-receipt')

/** What has another form is no token of ours. */
export function hashHandoffToken({ config }: ApiContext, token: string): Buffer {
  if (!LINK.hasForm(token)) throw new Problem('NOT_FOUND')
  return LINK.hash(config.secret, token)
}

/** A PIN is hashed with the token that it belongs to, so that equal PINs have different hashes. */
export function hashPin({ config }: ApiContext, token: string, pin: string | undefined): Buffer | undefined {
  return pin === undefined ? undefined : hashToken(config.secret, 'handoff-pin', `${token} ${pin}`)
}

/** The receipt of an earlier claim that was broken off, or a new one. */
export function chooseReceipt({ config }: ApiContext, given: string | undefined) {
  if (given !== undefined && !RECEIPT.hasForm(given)) {
    throw new Problem('INVALID_PARAM', { field: 'X-Claim-Receipt', header: 'X-Claim-Receipt' })
  }
  const receipt = given ?? RECEIPT.mint()
  return { receipt, hash: RECEIPT.hash(config.secret, receipt), isRepeat: given !== undefined }
}

/** Handoffs that cost something are not there yet. */
export function requireFreeHandoff({ settings }: ApiContext): void {
  const priced = (['lease.handoff_issue_micros', 'lease.handoff_claim_micros'] as const).filter(
    name => settings.get(name) > 0,
  )
  if (priced.length > 0) throw new Problem('HANDOFF_BILLING_NOT_READY', { settings: priced })
}

export function requireClaimRate(context: ApiContext, { ip }: IncomingRequest, token: string): void {
  const { settings, config } = context
  requireTokenRate(context, {
    kind: 'claim',
    ip,
    perAddress: settings.get('rate.claims_per_minute'),
    token: LINK.hash(config.secret, token),
    perToken: settings.get('rate.claims_per_link_per_minute'),
  })
}

/** Ends the claim once its content has been sent whole. One that is broken off can be repeated for a while. */
export function completeWhenSent({ db, log }: ApiContext, reply: AnswerSink, receiptHash: Buffer): void {
  reply.raw.once('finish', () => {
    completeClaim(db, receiptHash).catch((error: unknown) => log.warn({ err: error }, 'claim not completed'))
  })
}
