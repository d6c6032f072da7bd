import { Type } from 'typebox'
import { revokeTokens } from '../../../sql/wallet.ts'
import { route } from '../../route.ts'

export default route({
  at: 'POST /v1/auth/revoke',
  summary: 'Revoke every wallet token of the account, including the one used for this call. API keys stay valid.',
  keywords: 'log out, sign out everywhere, end all sessions, invalidate tokens',
  auth: ['wallet', 'key'],
  reply: { status: 200, schema: Type.Object({ revoked: Type.Literal(true) }) },
  errors: ['MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  async handle({ caller }, { db, keys }) {
    await revokeTokens(db, caller.accountId)
    keys.forget()
    return { revoked: true }
  },
})
