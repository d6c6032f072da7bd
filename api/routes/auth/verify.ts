import { Type } from 'typebox'
import { newId, Problem } from '#kit'
import { toChecksumAddress } from '../../../ops/providers/sign-in/wallet-message.ts'
import { openWallet } from '../../../sql/payment.ts'
import { noteSignIn } from '../../../sql/session.ts'
import { countAttempt } from '../../intake/identity/sign-in-attempts.ts'
import { TOKEN_DAYS } from '../../intake/identity/wallet-token.ts'
import { route } from '../../route.ts'
import { opensTestAccounts, SignedMessage, verifyWallet } from './schema.ts'

export default route({
  at: 'POST /v1/auth/verify',
  summary: 'Get a token for a wallet that has signed its challenge. Send it as Authorization: Bearer, like a key.',
  keywords: 'wallet login token, sign in with wallet, siwe signature, session token',
  description:
    'The account is the one that x402 payments of the wallet go to: one balance, one ledger. The token is valid for 30 days.',
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
  async handle({ body, request, reply }, context) {
    countAttempt(context, request)
    const wallet = await verifyWallet(context, body)
    const accountId = await openWallet(context.db, wallet, newId(), opensTestAccounts(context))
    const address = await toChecksumAddress(wallet)
    const token = await context.tokens.issue({ accountId, address })
    // Checked last: if the wallet is unlinked after this, the token ends with it.
    if (!(await noteSignIn(context.db, { accountId, openedBy: `wallet ${wallet}` })))
      throw new Problem('SIGN_IN_FAILED', { reason: 'It was unlinked meanwhile.' })
    reply.header('cache-control', 'no-store')
    return { token, tokenType: 'Bearer', expiresIn: TOKEN_DAYS * 86_400, customerId: accountId, address }
  },
})
