import { randomBytes } from 'node:crypto'
import { Problem } from '#kit'
import { hashToken } from '../../../ops/secrets.ts'
import { completeClaim } from '../../../sql/handoff/claims.ts'
import type { ApiContext } from '../../context.ts'
import type { IncomingRequest } from '../../incoming-call.ts'
import { addressBucket, requireRate } from '../../intake/identity/rate-limit.ts'
import type { AnswerSink } from '../../intake/reply/sink.ts'

const TOKEN = /^hnd_[\w-]{43}$/
const RECEIPT = /^rcp_[\w-]{43}$/

export function newHandoffToken(): string {
  return `hnd_${randomBytes(32).toString('base64url')}`
}

/** What has another form is no token of ours. */
export function hashHandoffToken({ config }: ApiContext, token: string): Buffer {
  if (!TOKEN.test(token)) throw new Problem('NOT_FOUND')
  return hashToken(config.secret, 'handoff-token', token)
}

/** A PIN is hashed with the token that it belongs to, so that equal PINs have different hashes. */
export function hashPin({ config }: ApiContext, token: string, pin: string | undefined): Buffer | undefined {
  return pin === undefined ? undefined : hashToken(config.secret, 'handoff-pin', `${token} ${pin}`)
}

/** The receipt of an earlier claim that was broken off, or a new one. */
export function chooseReceipt({ config }: ApiContext, given: string | undefined) {
  if (given !== undefined && !RECEIPT.test(given)) {
    throw new Problem('INVALID_PARAM', { field: 'X-Claim-Receipt', header: 'X-Claim-Receipt' })
  }
  const receipt = given ?? `rcp_${randomBytes(32).toString('base64url')}`
  return { receipt, hash: hashToken(config.secret, 'claim-receipt', receipt), isRepeat: given !== undefined }
}

/** Handoffs that cost something are not there yet. */
export function requireFreeHandoff({ settings }: ApiContext): void {
  const priced = (['lease.handoff_issue_micros', 'lease.handoff_claim_micros'] as const).filter(
    name => settings.get(name) > 0,
  )
  if (priced.length > 0) throw new Problem('HANDOFF_BILLING_NOT_READY', { settings: priced })
}

export function requireClaimRate(context: ApiContext, request: IncomingRequest): void {
  const perMinute = context.settings.get('rate.claims_per_minute')
  requireRate(context, `claim:${addressBucket(request.ip)}`, perMinute)
}

/** Ends the claim once its content has been sent whole. One that is broken off can be repeated for a while. */
export function completeWhenSent({ db, log }: ApiContext, reply: AnswerSink, receiptHash: Buffer): void {
  reply.raw.once('finish', () => {
    completeClaim(db, receiptHash).catch((error: unknown) => log.warn({ err: error }, 'claim not completed'))
  })
}
