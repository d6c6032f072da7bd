import { Type } from 'typebox'
import { newId } from '#kit'
import { checksummed } from '../../../ops/sign-in/wallet-message.ts'
import { openWallet } from '../../../sql/payment.ts'
import { countTry } from '../../intake/attempts.ts'
import { TOKEN_DAYS } from '../../intake/wallet-token.ts'
import { route } from '../../route.ts'
import { isForTests, provenWallet, SignedMessage } from './shape.ts'

export default route({
  at: 'POST /v1/auth/verify',
  summary: 'A token for a wallet that has signed its challenge; it is sent as Authorization: Bearer, like a key.',
  description:
    'The account is the same one that the wallet pays from by x402: one balance, one ledger. The token lasts 30 days.',
  auth: ['none'],
  body: SignedMessage,
  reply: {
    status: 200,
    schema: Type.Object({
      token: Type.String(),
      tokenType: Type.Literal('Bearer'),
      expiresIn: Type.Integer(),
      customerId: Type.String(),
      address: Type.String(),
    }),
  },
  errors: ['SIGN_IN_FAILED', 'RATE_LIMITED', 'ACCOUNT_SUSPENDED'],
  examples: [
    {
      title: 'Sign in with a wallet',
      input: {
        message:
          'api.example wants you to sign in with your Ethereum account:\n0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A',
        signature: `0x${'5a'.repeat(65)}`,
      },
    },
  ],
  async handle({ body, request, reply }, floor) {
    countTry(floor, request)
    const wallet = await provenWallet(floor, body)
    const accountId = await openWallet(floor.db, wallet, newId(), isForTests(floor))
    const address = await checksummed(wallet)
    const token = await floor.tokens.issue({ accountId, address })
    reply.header('cache-control', 'no-store')
    return { token, tokenType: 'Bearer', expiresIn: TOKEN_DAYS * 86_400, customerId: accountId, address }
  },
})
