import { Type } from 'typebox'
import { readBatch } from '../../../../sql/esigndoc/batches.ts'
import { route } from '../../../route.ts'
import { OWNER_ERRORS, parseBatchId } from '../schema.ts'
import { Batch } from '../template-body.ts'

export default route({
  at: 'GET /v1/esigndoc/batches/{batchId}',
  summary: 'Ask how far a bulk of envelopes is.',
  keywords: 'progress of a bulk send',
  auth: ['key', 'wallet'],
  params: Type.Object({ batchId: Type.String({ maxLength: 64, description: 'Such as `btc_019ab3c4…`.' }) }),
  reply: { status: 200, schema: Batch },
  errors: OWNER_ERRORS,
  handle: ({ caller, params }, { db }) => readBatch(db, caller.accountId, parseBatchId(params.batchId)),
})
