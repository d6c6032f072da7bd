import type { FastifyInstance } from 'fastify'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'

type Wallet = ReturnType<typeof privateKeyToAccount>

/** Creates an unknown wallet. */
export function createWallet(): Wallet {
  return privateKeyToAccount(generatePrivateKey())
}

export interface SignedChallenge {
  message: string
  signature: string
}

/** Requests a challenge and signs it; `change` may alter the text first. */
export async function signChallenge(
  app: FastifyInstance,
  wallet: Wallet,
  change: (message: string) => string = message => message,
): Promise<SignedChallenge> {
  const answer = await app.inject({ url: `/v1/auth/challenge?wallet=${wallet.address}` })
  const message = change(answer.json().message)
  return { message, signature: await wallet.signMessage({ message }) }
}

/** Signs in; gives the bearer token and the id of the wallet's account. */
export async function signInWithWallet(
  app: FastifyInstance,
  wallet: Wallet,
): Promise<{ token: string; accountId: string }> {
  const payload = await signChallenge(app, wallet)
  const { token, customerId } = (await app.inject({ method: 'POST', url: '/v1/auth/verify', payload })).json()
  return { token, accountId: customerId }
}
