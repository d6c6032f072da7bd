import { randomBytes } from 'node:crypto'
import { Type } from 'typebox'
import { toChecksumAddress, writeWalletMessage } from '../../../ops/providers/sign-in/wallet-message.ts'
import { createChallenge } from '../../../sql/wallet.ts'
import { countAttempt } from '../../intake/identity/sign-in-attempts.ts'
import { route } from '../../route.ts'
import { CHALLENGE_MINUTES, chainIdOf, domainOf } from './schema.ts'

export default route({
  at: 'GET /v1/auth/challenge',
  summary: 'Get a message that a wallet signs to prove its owner. It can be used once, within five minutes.',
  keywords: 'sign in with ethereum, wallet login, siwe message, nonce',
  auth: ['none'],
  query: Type.Object(
    { wallet: Type.String({ pattern: '^0x[a-fA-F0-9]{40}$', description: 'The address of the wallet.' }) },
    { additionalProperties: false },
  ),
  reply: {
    status: 200,
    schema: Type.Object({
      nonce: Type.String(),
      message: Type.String(),
      issuedAt: Type.String(),
      expiresAt: Type.String(),
      domain: Type.String(),
      chainId: Type.Integer(),
      address: Type.String(),
    }),
  },
  errors: ['INVALID_PARAM', 'MISSING_FIELD', 'RATE_LIMITED'],
  async handle({ query: { wallet }, request, reply }, context) {
    countAttempt(context, request)
    const nonce = randomBytes(24).toString('hex')
    const [domain, chainId, address] = [domainOf(context), chainIdOf(context), await toChecksumAddress(wallet)]
    const issuedAt = new Date(context.clock.now())
    const expiresAt = await createChallenge(context.db, nonce, { address, chainId, domain }, CHALLENGE_MINUTES)
    const uri = `${context.config.publicUrl}/v1/auth/verify`
    const statement = 'Sign in. This costs nothing and moves no money.'
    const message = await writeWalletMessage({ domain, address, uri, chainId, nonce, issuedAt, expiresAt, statement })
    reply.header('cache-control', 'no-store')
    return { nonce, message, issuedAt, expiresAt, domain, chainId, address }
  },
})
