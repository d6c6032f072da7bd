import type { CallOptions } from '#kit'
import type { ReceivedCall } from '../call.ts'

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
