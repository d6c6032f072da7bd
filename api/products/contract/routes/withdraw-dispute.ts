import { withdrawDispute } from '../../../../sql/contract/disputes.ts'
import { route } from '../../../route.ts'
import { describeDispute, findReader } from '../reading.ts'
import { DisputeParams, DisputeReply, parseDisputeId, READER_ERRORS } from '../schema.ts'

export default route({
  at: 'POST /v1/contracts/{contract}/disputes/{dispute}/withdraw',
  summary: 'Take a dispute back while evidence is handed in; its price is given back.',
  keywords: 'cancel a dispute, settle out of arbitration',
  auth: ['key', 'wallet', 'none'],
  params: DisputeParams,
  reply: { status: 200, schema: DisputeReply },
  errors: [...(['NOT_A_PARTY', 'EVIDENCE_CLOSED'] as const), ...READER_ERRORS],
  async handle(asked, context) {
    const id = parseDisputeId(asked.params.dispute)
    return describeDispute(await withdrawDispute(context.db, findReader(context, asked), id))
  },
})
