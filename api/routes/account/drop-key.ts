import { dropKey } from '../../../sql/key.ts'
import { route } from '../../route.ts'
import { KeyPrefix } from './schema.ts'

export default route({
  at: 'DELETE /v1/account/api-keys/{prefix}',
  summary: 'Revoke an API key, given its prefix.',
  keywords: 'delete api key, revoke key, remove key',
  auth: ['session'],
  params: KeyPrefix,
  reply: { status: 204 },
  errors: ['NOT_FOUND', 'KEY_NOT_CURRENT', 'CSRF_REJECTED', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  async handle({ caller, params: { prefix }, reply }, { db, keys }) {
    await dropKey(db, caller.accountId, prefix)
    keys.forget()
    reply.code(204).send()
    return undefined
  },
})
