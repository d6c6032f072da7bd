import { Type } from 'typebox'
import { formatUsd, Problem } from '#kit'
import { readAccount } from '../../../sql/account.ts'
import { route } from '../../route.ts'

export default route({
  at: 'GET /v1/account',
  summary: 'Profile and balance of the account that calls.',
  auth: ['key'],
  reply: {
    status: 200,
    schema: Type.Object({
      id: Type.String(),
      name: Type.Union([Type.String(), Type.Null()]),
      balanceMicros: Type.String(),
      heldMicros: Type.String(),
      balanceUsd: Type.String(),
      isTest: Type.Boolean(),
      createdAt: Type.String(),
    }),
  },
  errors: ['MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED', 'NOT_FOUND'],
  async handle({ caller }, { db }) {
    const account = await readAccount(db, caller.accountId)
    if (!account) throw new Problem('NOT_FOUND')
    const { id, name, balanceMicros, heldMicros, isTest, createdAt } = account
    return { id, name, balanceMicros, heldMicros, balanceUsd: formatUsd(BigInt(balanceMicros)), isTest, createdAt }
  },
})
