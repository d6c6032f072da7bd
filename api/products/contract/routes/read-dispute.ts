import { readDispute } from '../../../../sql/contract/disputes.ts'
import { route } from '../../../route.ts'
import { describeDispute, findReader } from '../reading.ts'
import { DisputeParams, DisputeReply, parseDisputeId, READER_ERRORS } from '../schema.ts'

export default route({
  at: 'GET /v1/contracts/{contract}/disputes/{dispute}',
  summary: 'Read a dispute about a contract: claim, evidence and ruling.',
  keywords: 'outcome of an arbitration, ruling, who won a dispute, decision of a dispute',
  auth: ['key', 'wallet', 'none'],
  params: DisputeParams,
  reply: { status: 200, schema: DisputeReply },
  errors: READER_ERRORS,
  async handle(asked, context) {
    const id = parseDisputeId(asked.params.dispute)
    return describeDispute(await readDispute(context.db, findReader(context, asked), id))
  },
})
