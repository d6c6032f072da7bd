import { readContract } from '../../../../sql/contract/contracts.ts'
import { route } from '../../../route.ts'
import { describeContract, findReader } from '../reading.ts'
import { Contract, ContractParam, READER_ERRORS } from '../schema.ts'

export default route({
  at: 'GET /v1/contracts/{contract}',
  summary: 'Read a contract: its terms, who has signed, and what you would sign.',
  keywords: 'have all signed, status of a contract, what do I sign',
  description: 'For its creator, its parties, and whoever has the link of one.',
  auth: ['key', 'wallet', 'none'],
  params: ContractParam,
  reply: { status: 200, schema: Contract },
  errors: READER_ERRORS,
  async handle(asked, context) {
    const view = await readContract(context.db, findReader(context, asked))
    return describeContract(context.config, view, asked.params.contract)
  },
})
