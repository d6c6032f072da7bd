import { Type } from 'typebox'
import { addEvidence } from '../../../../sql/contract/disputes.ts'
import { route } from '../../../route.ts'
import { EvidenceBody, readEvidence } from '../evidence.ts'
import { describeDispute, findReader } from '../reading.ts'
import { DisputeParams, DisputeReply, PartyKey, parseDisputeId, READER_ERRORS } from '../schema.ts'

export default route({
  at: 'POST /v1/contracts/{contract}/disputes/{dispute}/evidence',
  summary: 'Hand in evidence in a dispute, as any party that has signed the contract.',
  keywords: 'answer a claim, defend, submit evidence',
  auth: ['key', 'wallet', 'none'],
  params: DisputeParams,
  body: Type.Object({ partyKey: PartyKey, ...EvidenceBody.properties }, { additionalProperties: false }),
  reply: { status: 200, schema: DisputeReply },
  errors: [...(['INVALID_PARAM', 'NOT_A_PARTY', 'EVIDENCE_CLOSED', 'TOO_MUCH_EVIDENCE'] as const), ...READER_ERRORS],
  examples: [
    { title: 'Of a seller', input: { partyKey: 'seller', title: 'Receipt', text: 'Delivered on 2026-12-30.' } },
  ],
  async handle(asked, context) {
    const { partyKey, ...given } = asked.body
    const evidence = { partyKey, ...readEvidence(given, 'text') }
    const id = parseDisputeId(asked.params.dispute)
    return describeDispute(await addEvidence(context.db, findReader(context, asked), id, evidence))
  },
})
