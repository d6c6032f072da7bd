import { Type } from 'typebox'
import { revokeTokens } from '../../../sql/wallet.ts'
import { route } from '../../route.ts'

export default route({
  at: 'POST /v1/auth/revoke',
  summary: 'End every wallet token of the account, the one this is asked with included; API keys are not touched.',
  auth: ['wallet', 'key'],
  reply: { status: 200, schema: Type.Object({ revoked: Type.Literal(true) }) },
  errors: ['MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  async handle({ caller }, { db, keys }) {
    await revokeTokens(db, caller.accountId)
    keys.forget()
    return { revoked: true }
  },
})
