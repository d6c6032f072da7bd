import { withdrawContract } from '../../../../sql/contract/contracts.ts'
import { route } from '../../../route.ts'
import { describeContract } from '../reading.ts'
import { Contract, OwnContractParam, parseContractId } from '../schema.ts'

export default route({
  at: 'POST /v1/contracts/{contract}/withdraw',
  summary: 'Take a contract of yours back before all have signed.',
  keywords: 'cancel a contract, revoke an offer',
  auth: ['key', 'wallet'],
  params: OwnContractParam,
  reply: { status: 200, schema: Contract },
  errors: [
    ...(['NOT_FOUND', 'CONTRACT_NOT_PENDING', 'CONTRACT_EXPIRED'] as const),
    ...(['MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'] as const),
  ],
  handle: async ({ caller, params }, { config, db }) =>
    describeContract(config, await withdrawContract(db, caller.accountId, parseContractId(params.contract))),
})
