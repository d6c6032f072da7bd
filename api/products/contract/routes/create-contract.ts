import { Type } from 'typebox'
import { perCall } from '#kit'
import { type ContractView, createContract } from '../../../../sql/contract/contracts.ts'
import { BILLABLE_AUTH } from '../../../intake/billable.ts'
import { route } from '../../../route.ts'
import { ContractBody, inviteByMail, listPartyUrls, planContract } from '../making.ts'
import { describeContract } from '../reading.ts'
import { NewContractReply } from '../schema.ts'

export default route({
  at: 'POST /v1/contracts',
  summary: 'Make a contract that parties sign by wallet (EIP-712) or account.',
  keywords:
    'contract with a client, client pays on delivery, contract with a supplier, agreement, terms, sign an agreement, eip-712, deal between agents, agree on terms, statement of work, non-disclosure',
  description:
    'Who makes it is not a party unless listed. Terms never change: a new contract supersedes an old one. Every act goes into a log whose entries hold the hash of the one before, and a copy of it into a ledger of yours.',
  auth: BILLABLE_AUTH,
  body: ContractBody,
  reply: { status: 201, schema: Type.Object(NewContractReply.properties) },
  price: perCall('0.02'),
  settles: true,
  errors: ['INVALID_PARAM', 'NOT_FOUND', 'NOT_SUPERSEDABLE', 'TOO_MANY_CONTRACTS', 'TIME_LIMIT_EXCEEDED'],
  examples: [
    {
      title: 'Between a wallet and an account',
      input: {
        title: 'Delivery of a data set',
        terms: 'The seller delivers 10,000 rows until 2026-12-31. The buyer pays 5 USDC.',
        parties: [
          { key: 'seller', method: 'wallet', address: '0x1111111111111111111111111111111111111111' },
          { key: 'buyer', method: 'account', email: 'buyer@example.com' },
        ],
      },
    },
  ],
  async handle({ body, caller, job }, context) {
    const { db, settings } = context
    const plan = await planContract(context, { caller: caller!, job: job!, body })
    const invitations = body.notify ? plan.parties.flatMap(party => inviteByMail(context, plan, party)) : []
    return createContract(db, job!, { ...plan, invitations }, settings.get('contract.max_open'))
  },
  reveal(result, { config }) {
    const view = result as ContractView
    return { ...describeContract(config, view), partyUrls: listPartyUrls(config, view) }
  },
})
