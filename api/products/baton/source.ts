import { useAfterUpload } from '../../../ops/batons/uploads.ts'
import { asInputProblem, findBatonSource } from '../../../sql/baton/flow.ts'
import type { ApiContext } from '../../context.ts'
import type { IncomingCall } from '../../incoming-call.ts'
import type { Billable } from '../../intake/billable.ts'
import type { FileLimits } from '../../intake/files/limits.ts'
import type { Caller } from '../../intake/identity/caller.ts'
import { requireScope } from '../../oauth/scopes.ts'
import { isToken } from './tokens.ts'
import { identifyPayer } from './visitor.ts'

/** How a call finds the batons that it takes as files: by id for their owner and listed accounts, or by a token. */
export function batonFinder(
  context: ApiContext,
  { billable, caller, request }: { billable: Billable; caller: Caller | undefined; request: IncomingCall },
): FileLimits['findBatonEntry'] {
  return async (batonId, seq) => {
    if (!isToken(batonId)) requireScope(caller, 'batons:read')
    try {
      const by = identifyPayer(context, { billable, caller, params: { id: batonId }, request })
      const found = await useAfterUpload(context, by, visitor => findBatonSource(context.db, visitor, { seq }))
      const { baton_id: id, content, object_key: key } = found
      const entry = { by, id, seq: Number(found.seq) }
      return { entry, sizeBytes: Number(found.total), ...(content && { bytes: content }), ...(key && { key }) }
    } catch (error) {
      throw asInputProblem(error)
    }
  }
}
