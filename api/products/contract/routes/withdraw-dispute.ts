import { withdrawDispute } from '../../../../sql/contract/disputes.ts'
import { route } from '../../../route.ts'
import { findReader } from '../reading.ts'
import { Dispute, DisputeParams, parseDisputeId, READER_ERRORS } from '../schema.ts'

export default route({
  at: 'POST /v1/contracts/{contract}/disputes/{dispute}/withdraw',
  summary: 'Take a dispute back while evidence is handed in; its price is given back.',
  keywords: 'cancel a dispute, settle out of arbitration',
  auth: ['key', 'wallet', 'none'],
  params: DisputeParams,
  reply: { status: 200, schema: Dispute },
  errors: [...(['NOT_A_PARTY', 'EVIDENCE_CLOSED'] as const), ...READER_ERRORS],
  handle: (asked, context) =>
    withdrawDispute(context.db, findReader(context, asked), parseDisputeId(asked.params.dispute)),
})
