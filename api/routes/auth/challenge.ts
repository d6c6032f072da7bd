import { randomBytes } from 'node:crypto'
import { Type } from 'typebox'
import { checksummed, writeWalletMessage } from '../../../ops/sign-in/wallet-message.ts'
import { noteChallenge } from '../../../sql/wallet.ts'
import { countTry } from '../../intake/attempts.ts'
import { route } from '../../route.ts'
import { CHALLENGE_MINUTES, chainIdOf, domainOf } from './shape.ts'

export default route({
  at: 'GET /v1/auth/challenge',
  summary: 'A text for a wallet to sign, to prove whose it is; it serves once, within five minutes.',
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
  async handle({ query: { wallet }, request, reply }, floor) {
    countTry(floor, request)
    const nonce = randomBytes(24).toString('hex')
    const [domain, chainId, address] = [domainOf(floor), chainIdOf(floor), await checksummed(wallet)]
    const issuedAt = new Date()
    const expiresAt = await noteChallenge(floor.db, nonce, { address, chainId, domain }, CHALLENGE_MINUTES)
    const uri = `${floor.config.publicUrl}/v1/auth/verify`
    const statement = 'Sign in. This costs nothing and moves no money.'
    const message = await writeWalletMessage({ domain, address, uri, chainId, nonce, issuedAt, expiresAt, statement })
    reply.header('cache-control', 'no-store')
    return { nonce, message, issuedAt, expiresAt, domain, chainId, address }
  },
})
