import { Type } from 'typebox'
import { addEvidence, readDispute } from '../../../../sql/contract/disputes.ts'
import { readFreeFiles } from '../../../intake/files/read-files.ts'
import { route } from '../../../route.ts'
import { EvidenceBody, planEvidence, requireEvidence } from '../evidence.ts'
import { describeDispute, findReader } from '../reading.ts'
import { DisputeParams, DisputeReply, PartyKey, parseDisputeId, READER_ERRORS } from '../schema.ts'

const Body = Type.Object({ partyKey: PartyKey, ...EvidenceBody.properties }, { additionalProperties: false })

export default route({
  at: 'POST /v1/contracts/{contract}/disputes/{dispute}/evidence',
  summary: 'Hand in evidence in a dispute, as any party that has signed the contract.',
  keywords: 'answer a claim, defend, submit evidence',
  auth: ['key', 'wallet', 'none'],
  params: DisputeParams,
  body: Body,
  reply: { status: 200, schema: DisputeReply },
  errors: [...(['INVALID_PARAM', 'NOT_A_PARTY', 'EVIDENCE_CLOSED', 'TOO_MUCH_EVIDENCE'] as const), ...READER_ERRORS],
  examples: [
    { title: 'Of a seller', input: { partyKey: 'seller', title: 'Receipt', text: 'Delivered on 2026-12-30.' } },
  ],
  async handle(asked, context) {
    const { body } = asked
    requireEvidence(body, 'text')
    const [reader, id] = [findReader(context, asked), parseDisputeId(asked.params.dispute)]
    // A file is not fetched for whoever cannot read the dispute.
    await readDispute(context.db, reader, id)
    const maxBytes = context.settings.get('contract.max_evidence_bytes')
    const files = await readFreeFiles(context, asked, { schema: Body, body, maxBytes })
    const [evidence] = planEvidence(context, [body], files)
    return describeDispute(await addEvidence(context.db, reader, id, { partyKey: body.partyKey, ...evidence! }))
  },
})
