import { Type } from 'typebox'
import { showKeys } from '../../../sql/key.ts'
import { route } from '../../route.ts'
import { ApiKey } from './schema.ts'

export default route({
  at: 'GET /v1/account/api-keys',
  summary: 'List the API keys of the account by prefix, the current one first.',
  keywords: 'my api keys, which keys exist',
  description:
    'For a signed-in browser only. The response has the header `X-CSRF-Token`; send it with every request that changes something.',
  auth: ['session'],
  reply: { status: 200, schema: Type.Object({ data: Type.Array(ApiKey) }) },
  errors: ['MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  handle: async ({ caller }, { db }) => ({ data: await showKeys(db, caller.accountId) }),
})
