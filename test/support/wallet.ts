import type { FastifyInstance } from 'fastify'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'

export type Wallet = ReturnType<typeof privateKeyToAccount>

/** A wallet nobody has seen before. */
export function newWallet(): Wallet {
  return privateKeyToAccount(generatePrivateKey())
}

export interface Signed {
  message: string
  signature: string
}

/** Asks for a challenge and signs it; `change` bends the text before. */
export async function signChallenge(
  app: FastifyInstance,
  wallet: Wallet,
  change: (message: string) => string = message => message,
): Promise<Signed> {
  const answer = await app.inject({ url: `/v1/auth/challenge?wallet=${wallet.address}` })
  const message = change(answer.json().message)
  return { message, signature: await wallet.signMessage({ message }) }
}

/** A bearer token of a wallet, and the account it came to. */
export async function signInBy(app: FastifyInstance, wallet: Wallet): Promise<{ token: string; accountId: string }> {
  const payload = await signChallenge(app, wallet)
  const { token, customerId } = (await app.inject({ method: 'POST', url: '/v1/auth/verify', payload })).json()
  return { token, accountId: customerId }
}
