import { Type } from 'typebox'
import { requireUnlimitedKey } from '../../../sql/key.ts'
import { unlink } from '../../intake/identity/unlink.ts'
import { route } from '../../route.ts'

export default route({
  at: 'DELETE /v1/account/sign-ins/{id}',
  summary: 'Unlink a wallet or another sign-in from the account. The last one stays.',
  keywords: 'unlink wallet, disconnect wallet, remove wallet, remove login, remove google or github sign-in',
  description:
    'It cannot sign in to the account any more, its browser sessions end, and with a wallet all wallet tokens of the account. Credit, jobs, keys and payments that are on their way stay with the account; a payment of the wallet after that opens an account of its own. What has been linked for three days stays until another has been, and the last one always. A key with limits cannot unlink. The owner is told by mail, of a new link too.',
  auth: ['key', 'wallet'],
  params: Type.Object({
    id: Type.String({ minLength: 1, maxLength: 64, description: 'As GET /v1/account/sign-ins lists it.' }),
  }),
  reply: { status: 204 },
  errors: [
    'NOT_FOUND',
    'LAST_SIGN_IN',
    'SIGN_IN_TOO_NEW',
    'FORBIDDEN',
    'MISSING_AUTH',
    'UNAUTHENTICATED',
    'ACCOUNT_SUSPENDED',
  ],
  async handle({ caller, params: { id }, reply }, context) {
    if (caller.keyHash) await requireUnlimitedKey(context.db, caller.keyHash)
    await unlink(context, caller, id)
    return void reply.code(204).send()
  },
})
