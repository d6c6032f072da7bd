import { readDispute } from '../../../../sql/contract/disputes.ts'
import { route } from '../../../route.ts'
import { findReader } from '../reading.ts'
import { Dispute, DisputeParams, parseDisputeId, READER_ERRORS } from '../schema.ts'

export default route({
  at: 'GET /v1/contracts/{contract}/disputes/{dispute}',
  summary: 'Read a dispute about a contract: claim, evidence and ruling.',
  keywords: 'outcome of an arbitration, ruling, who won a dispute, decision of a dispute',
  auth: ['key', 'wallet', 'none'],
  params: DisputeParams,
  reply: { status: 200, schema: Dispute },
  errors: READER_ERRORS,
  handle: (asked, context) => readDispute(context.db, findReader(context, asked), parseDisputeId(asked.params.dispute)),
})
