import { Problem } from '#kit'
import type { ReplyTerms } from '../../../sql/ask/replies.ts'
import type { ApiContext } from '../../context.ts'
import type { IncomingRequest } from '../../incoming-call.ts'
import { requireTokenRate } from '../../intake/identity/rate-limit.ts'
import { REPLY } from './schema.ts'

/** The hash of a reply token, unless it, or the address it comes from, is used too often. */
export function readToken(context: ApiContext, { ip }: Pick<IncomingRequest, 'ip'>, text: string): Buffer {
  const token = REPLY.hash(context.config.secret, text)
  const perMinute = context.settings.get('rate.replies_per_minute')
  requireTokenRate(context, { kind: 'reply', ip, perAddress: perMinute, token, perToken: perMinute })
  if (!REPLY.hasForm(text)) throw new Problem('NOT_FOUND')
  return token
}

export function isOpen({ status }: Pick<ReplyTerms, 'status'>): boolean {
  return status === 'open' || status === 'partially_replied'
}
