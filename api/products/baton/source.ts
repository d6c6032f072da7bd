import { useAfterUpload } from '../../../ops/products/baton/uploads.ts'
import { asInputProblem, drawBatons, findBatonSource } from '../../../sql/baton/job-files.ts'
import type { SourceKind } from '../../intake/parts.ts'
import { requireScope } from '../../oauth/scopes.ts'
import { isToken } from './tokens.ts'
import { identifyPayer } from './visitor.ts'

/** A baton as a file: by id for its owner and listed accounts, or by a token. */
export const batonSource: SourceKind = {
  field: 'batonId',
  companions: ['entryRef'],
  draw: drawBatons,

  async find(context, { billable, caller, request }, source) {
    const { batonId, entryRef: seq } = source as { batonId: string; entryRef?: number }
    if (!isToken(batonId)) requireScope(caller, 'batons:read')
    try {
      const by = identifyPayer(context, { billable, caller, params: { id: batonId }, request })
      const found = await useAfterUpload(context, by, visitor => findBatonSource(context.db, visitor, { seq }))
      const { baton_id: id, content, object_key: key } = found
      const drawn = { by, id, seq: Number(found.seq) }
      return { drawn, sizeBytes: Number(found.total), ...(content && { bytes: content }), ...(key && { key }) }
    } catch (error) {
      throw asInputProblem(error)
    }
  },
}
