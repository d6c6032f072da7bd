import { type CallOptions, Problem } from '#kit'
import type { IncomingCall } from '../incoming-call.ts'
import type { Preference, ReceivedCall } from './call.ts'
import type { Payment } from './x402/payments.ts'

const NONE: Preference = { isAsync: false, waitSeconds: undefined }
export const MAX_WAIT_SECONDS = 60

function readPreference(header: string | string[] | undefined): Preference {
  if (header === undefined) return NONE
  const words = (Array.isArray(header) ? header.join(',') : header).toLowerCase().split(/[,;]\s*/)
  const wait = words.map(word => /^wait\s*=\s*"?(\d{1,5})"?$/.exec(word.trim())?.[1]).find(Boolean)
  return {
    isAsync: words.some(word => word.trim() === 'respond-async'),
    waitSeconds: wait === undefined ? undefined : Math.min(MAX_WAIT_SECONDS, Number(wait)),
  }
}

/** What the headers of a call say of how it is answered, and what makes it the same call as an earlier one. */
export function readCallHeaders({ headers, payment }: Pick<IncomingCall, 'headers' | 'payment'>) {
  return {
    preference: readPreference(headers.prefer),
    idempotencyKey: readIdempotencyKey(headers['idempotency-key'], payment),
  }
}

const VISIBLE = /^[\x21-\x7e]{1,255}$/

/** The idempotency key: from the header or from the payment, and if both, the same. */
export function readIdempotencyKey(
  header: string | string[] | undefined,
  payment: Payment | undefined,
): string | undefined {
  const key = keyInHeader(header)
  const identifier = payment?.payload.identifier
  if (key !== undefined && identifier !== undefined && key !== identifier) {
    throw new Problem('CONFLICTING_OPTIONS', { fields: ['Idempotency-Key', 'payment-identifier'] })
  }
  return key ?? identifier
}

/** Accepts the value with or without the quotes of a structured header. */
function keyInHeader(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  const text = Array.isArray(header) ? header.join(',') : header
  const key = /^".*"$/.test(text) ? text.slice(1, -1) : text
  if (!VISIBLE.test(key)) throw new Problem('INVALID_IDEMPOTENCY_KEY')
  return key
}

/** What a call says besides the input of its operation. */
export interface CallFlags {
  options: CallOptions
  /** Where the output is to go besides the answer. */
  deliver: Record<string, unknown> | undefined
  isDryRun: boolean
  isAsync: boolean
  /** The input of the operation itself. */
  fields: Record<string, unknown>
}

interface GivenFlags extends CallOptions {
  async?: boolean
  dryRun?: boolean
  deliver?: Record<string, unknown>
}

/** Separates what the intake reads of a body from what the operation does. */
export function readFlags({ billable, address, preference, body }: ReceivedCall): CallFlags {
  const { async, dryRun, deliver, filename, inlineOutput, ...fields } = body as GivenFlags & Record<string, unknown>
  const wantsTicket = async ?? (preference.isAsync && preference.waitSeconds === undefined)
  const isDryRun = dryRun ?? address.headers['X-Dry-Run'] === true
  return {
    options: { filename, inlineOutput },
    deliver,
    isDryRun,
    // A quote is soon found, also where the work takes long.
    isAsync: billable.execution.kind === 'operation' && (wantsTicket || (billable.alwaysTicket && !isDryRun)),
    fields,
  }
}
