import { Type } from 'typebox'
import { declineContract } from '../../../../sql/contract/signatures.ts'
import { route } from '../../../route.ts'
import { Text } from '../making.ts'
import { describeContract, findReader } from '../reading.ts'
import { Contract, ContractParam, PartyKey, READER_ERRORS } from '../schema.ts'

export default route({
  at: 'POST /v1/contracts/{contract}/decline',
  summary: 'Decline a contract for a party, which ends it.',
  keywords: 'reject a contract, refuse to sign',
  auth: ['key', 'wallet', 'none'],
  params: ContractParam,
  body: Type.Object({ partyKey: PartyKey, reason: Type.Optional(Text(500)) }, { additionalProperties: false }),
  reply: { status: 200, schema: Contract },
  errors: [
    ...(['INVALID_PARAM', 'NOT_A_PARTY', 'ALREADY_SIGNED', 'CONTRACT_NOT_PENDING', 'CONTRACT_EXPIRED'] as const),
    ...READER_ERRORS,
  ],
  examples: [{ title: 'With a reason', input: { partyKey: 'buyer', reason: 'The price has changed.' } }],
  handle: async (asked, context) => {
    const { partyKey, reason } = asked.body
    const view = await declineContract(context.db, findReader(context, asked), partyKey, reason)
    return describeContract(context.config, view, asked.params.contract)
  },
})
