import { Type } from 'typebox'
import { toChecksumAddress } from '../../../ops/providers/sign-in/wallet-message.ts'
import { listSignIns } from '../../../sql/session.ts'
import { route } from '../../route.ts'
import { SIGN_IN_KINDS } from './schema.ts'

export default route({
  at: 'GET /v1/account/sign-ins',
  summary: 'List the wallets and sign-ins that are linked to the account, the oldest first.',
  keywords: 'linked wallets, which wallets are connected, who can sign in, login methods',
  description: 'Mail addresses are masked here; the account page of the dashboard shows them whole.',
  auth: ['key', 'wallet'],
  reply: {
    status: 200,
    schema: Type.Object({
      data: Type.Array(
        Type.Object({
          id: Type.String({ description: 'Of a wallet its address.' }),
          kind: SIGN_IN_KINDS,
          name: Type.String({ description: 'The address, or a masked mail address.' }),
          linkedAt: Type.String({ format: 'date-time' }),
          lastUsedAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
            description:
              'When it last signed in to the dashboard or for a token, a call came with such a token, or a payment of the wallet arrived.',
          }),
        }),
      ),
    }),
  },
  errors: ['MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  async handle({ caller }, { db }) {
    const data = (await listSignIns(db, caller.accountId)).map(async ({ id, kind, masked, linkedAt, lastUsedAt }) => {
      const name = kind === 'wallet' ? await toChecksumAddress(masked) : masked
      return { id: kind === 'wallet' ? name : id, kind, name, linkedAt, lastUsedAt }
    })
    return { data: await Promise.all(data) }
  },
})
