import { Type } from 'typebox'
import { Choice } from '#kit'
import { listContracts } from '../../../../sql/contract/contracts.ts'
import { route } from '../../../route.ts'
import { describeContract } from '../reading.ts'
import { Contract, STATUSES } from '../schema.ts'

export default route({
  at: 'GET /v1/contracts',
  summary: 'List the contracts that you have made or are a party to, the newest first.',
  keywords: 'my contracts, my agreements',
  auth: ['key', 'wallet'],
  query: Type.Object(
    {
      status: Type.Optional(Choice(STATUSES)),
      limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
      offset: Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0 }),
    },
    { additionalProperties: false },
  ),
  reply: { status: 200, schema: Type.Object({ data: Type.Array(Contract), hasMore: Type.Boolean() }) },
  errors: ['INVALID_PARAM', 'UNKNOWN_FIELD', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  async handle({ caller, query: { status, limit, offset } }, { config, db }) {
    const found = await listContracts(db, caller.accountId, status, { limit: limit + 1, offset })
    return { data: found.slice(0, limit).map(view => describeContract(config, view)), hasMore: found.length > limit }
  },
})
