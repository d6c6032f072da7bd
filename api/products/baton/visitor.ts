import { createHash } from 'node:crypto'
import { isUuid, Problem } from '#kit'
import type { Visitor } from '../../../sql/baton/visitor.ts'
import type { ApiContext } from '../../context.ts'
import type { IncomingCall } from '../../incoming-call.ts'
import type { Billable } from '../../intake/billable.ts'
import type { Caller } from '../../intake/identity/caller.ts'
import { paymentRequired } from '../../intake/x402/payment-required.ts'
import { hashBatonToken, isToken } from './tokens.ts'

interface Visit {
  caller: Caller | undefined
  params: { id: string }
  request: IncomingCall
}

/** Who uses a baton: a token in the place of its id needs no credentials, and counts whoever sends it. */
export function identifyVisitor(context: ApiContext, { caller, params: { id }, request }: Visit): Visitor {
  const ip = request.ip.replace(/^::ffff:/i, '')
  const isOwnId = isUuid(id)
  if (!isOwnId && isToken(id)) {
    const given = request.headers['x-service-fingerprint']
    const fingerprint = typeof given === 'string' ? createHash('sha256').update(given).digest('hex') : undefined
    return { token: hashBatonToken(context, id).toString('hex'), ip, ...(fingerprint && { fingerprint }) }
  }
  if (!caller) throw new Problem(request.server.offers ? 'SIGN_IN_REQUIRED' : 'MISSING_AUTH')
  if (!isOwnId) throw new Problem('NOT_FOUND')
  return { baton: id, account: caller.accountId, ip }
}

interface BillableVisit extends Visit {
  billable: Billable | undefined
}

/** The same for a call that may be billed. One without credentials is told how to pay, because its payment says who it is. */
export function identifyPayer(context: ApiContext, { billable, ...visit }: BillableVisit): Visitor {
  const isPayable = billable !== undefined && context.payments !== undefined
  if (!visit.caller && !isToken(visit.params.id) && isPayable) throw paymentRequired(context, billable)
  return identifyVisitor(context, visit)
}

/** Who asks for what everyone may know of a baton: its id is enough, and a token counts as when it reads. */
export function identifyAsker(context: ApiContext, visit: Omit<Visit, 'caller'>): Visitor | { baton: string } {
  const { id } = visit.params
  if (isToken(id)) return identifyVisitor(context, { ...visit, caller: undefined })
  if (!isUuid(id)) throw new Problem('NOT_FOUND')
  return { baton: id }
}
