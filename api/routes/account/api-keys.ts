import { Type } from 'typebox'
import { showKeys } from '../../../sql/key.ts'
import { route } from '../../route.ts'
import { ApiKey } from './shape.ts'

export default route({
  at: 'GET /v1/account/api-keys',
  summary: 'The API keys of the account by their prefixes, the current one first.',
  description: 'For a signed-in browser alone. The answer has the header `X-CSRF-Token` that changes must carry.',
  auth: ['session'],
  reply: { status: 200, schema: Type.Object({ data: Type.Array(ApiKey) }) },
  errors: ['MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  handle: async ({ caller }, { db }) => ({ data: await showKeys(db, caller.accountId) }),
})
