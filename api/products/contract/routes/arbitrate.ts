import { Type } from 'typebox'
import { newId, perCall } from '#kit'
import { type DisputeView, openDispute } from '../../../../sql/contract/disputes.ts'
import { BILLABLE_AUTH } from '../../../intake/billable.ts'
import { readFiles } from '../../../intake/files/read-files.ts'
import { route } from '../../../route.ts'
import { EvidenceBody, planEvidence, requireEvidence } from '../evidence.ts'
import { Text } from '../making.ts'
import { describeDispute, findReader } from '../reading.ts'
import { ContractParam, NewDisputeReply, PartyKey } from '../schema.ts'

const Body = Type.Object(
  {
    partyKey: PartyKey,
    claim: Text(8_000, 'What has gone wrong.'),
    requestedRelief: Text(2_000, 'What you want.'),
    evidence: Type.Array(EvidenceBody, { maxItems: 20, default: [] }),
  },
  { additionalProperties: false },
)

export default route({
  at: 'POST /v1/contracts/{contract}/arbitrate',
  summary: 'Open a dispute about a contract, to be ruled upon by a language model or the operator.',
  keywords:
    'arbitration, dispute, complaint about a contract, breach of contract, ruling, settle a disagreement, settle a dispute, the other side broke the contract',
  description:
    'For a party whose contract has terms of arbitration. Both sides hand in evidence until `evidenceDeadline`; then the ruling follows, signed by this service. It is paid when the dispute is opened, and given back if the dispute is withdrawn before that time or nobody has ruled, which an operator can until `rulingUntil`. It is advice, not a judgment.',
  auth: BILLABLE_AUTH,
  params: ContractParam,
  body: Body,
  reply: { status: 202, schema: NewDisputeReply },
  price: perCall('0.5'),
  settles: true,
  errors: [
    ...(['INVALID_PARAM', 'NOT_FOUND', 'NOT_A_PARTY', 'ARBITRATION_NOT_AGREED', 'CONTRACT_NOT_ACTIVE'] as const),
    ...(['DISPUTE_OPEN', 'TOO_MUCH_EVIDENCE', 'PROVIDER_NOT_CONFIGURED', 'TIME_LIMIT_EXCEEDED'] as const),
  ],
  examples: [
    {
      title: 'Of a buyer',
      input: {
        ...{ partyKey: 'buyer', claim: 'Only 9,000 rows came.', requestedRelief: 'A tenth of the price.' },
        evidence: [{ title: 'Count', text: 'wc -l data.csv: 9001' }],
      },
    },
  ],
  async handle({ caller, params, body, job, request }, context) {
    const { partyKey, claim, requestedRelief: relief } = body
    for (const [index, given] of body.evidence.entries()) requireEvidence(given, `evidence/${index}`)
    const maxBytes = context.settings.get('contract.max_evidence_bytes')
    const files = await readFiles(context, job!, { schema: Body, body, maxBytes })
    const dispute = {
      ...{ id: newId(), partyKey, claim, relief, hasModel: context.config.llm !== undefined },
      operatorDays: context.settings.get('contract.operator_days'),
      evidence: planEvidence(context, body.evidence, files),
    }
    return openDispute(context.db, job!, findReader(context, { caller, params, request }), dispute)
  },
  reveal: result => describeDispute(result as DisputeView),
})
