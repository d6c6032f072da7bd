import type { WalletAccount } from '../types.ts'

interface Challenge {
  message: string
}

interface SignedIn {
  token: string
  expiresIn: number
}

/** Makes a request of the service that needs no caller and returns its answer. */
export type Ask = (method: 'GET' | 'POST', path: string, body?: object) => Promise<unknown>

/** The token of a wallet, for calls that cost nothing but need an account: the one that its payments go to. */
export async function signIn(ask: Ask, wallet: WalletAccount, baseUrl: string): Promise<SignedIn> {
  const { message } = (await ask('GET', `/v1/auth/challenge?wallet=${wallet.address}`)) as Challenge
  checkMessage(message, wallet, baseUrl)
  const signature = await wallet.signMessage({ message })
  return (await ask('POST', '/v1/auth/verify', { message, signature })) as SignedIn
}

/** No other text is signed than one that signs in at this service. */
function checkMessage(message: string, { address }: WalletAccount, baseUrl: string): void {
  const { host, origin } = new URL(baseUrl)
  const [first, second] = message.split('\n')
  const isOwn =
    first === `${host} wants you to sign in with your Ethereum account:` &&
    second === address &&
    message.includes(`\nURI: ${origin}/`)
  if (!isOwn) throw new Error(`the service at ${baseUrl} asks to sign in at another address: use its public one`)
}
