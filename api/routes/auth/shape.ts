import { type Static, Type } from 'typebox'
import { Problem } from '#kit'
import { isSignedBy, readWalletMessage } from '../../../ops/sign-in/wallet-message.ts'
import { takeChallenge } from '../../../sql/wallet.ts'
import type { Floor } from '../../floor.ts'

export const CHALLENGE_MINUTES = 5
const MAINNET = 8_453

/** The chain the deployment is paid on; where it is not, the one wallets come with. */
export function chainIdOf({ config, payments }: Floor): number {
  if (payments) return payments.network.chainId
  return { base: MAINNET, 'base-sepolia': 84_532, dev: 31_337 }[config.x402?.network ?? 'base']
}

/** Whether the money of a new account is play money. */
export function isForTests({ config, payments }: Floor): boolean {
  if (payments) return payments.network.chainId !== MAINNET
  return config.x402 ? config.x402.network !== 'base' : config.testCheckout
}

export function domainOf({ config }: Floor): string {
  return new URL(config.publicUrl).host
}

export const SignedMessage = Type.Object(
  {
    message: Type.String({
      minLength: 1,
      maxLength: 4_000,
      description: 'The text of the challenge, as it was signed.',
    }),
    signature: Type.String({ pattern: '^0x([0-9a-fA-F]{2}){1,4096}$', description: 'Its EIP-191 signature.' }),
    address: Type.Optional(Type.String({ pattern: '^0x[a-fA-F0-9]{40}$' })),
  },
  { additionalProperties: false },
)

/**
 * The wallet that has proven itself. The challenge is used up whatever comes of it, and every word of the text that
 * matters is compared with what was asked, not with what the text says of itself.
 */
export async function provenWallet(floor: Floor, signed: Static<typeof SignedMessage>): Promise<string> {
  const said = await readWalletMessage(signed.message, new Date())
  if (!said) throw failed('message')
  const asked = await takeChallenge(floor.db, said.nonce)
  if (!asked) throw failed('nonce')
  const { origin } = new URL(floor.config.publicUrl)
  if (said.domain !== asked.domain || URL.parse(said.uri)?.origin !== origin) throw failed('domain')
  if (said.chainId !== asked.chainId) throw failed('chain')
  if (said.address.toLowerCase() !== asked.address) throw failed('address')
  if (signed.address && signed.address.toLowerCase() !== asked.address) throw failed('address')
  const { message, signature } = signed
  if (!(await isSigned(floor, { address: asked.address, message, signature }))) throw failed('signature')
  return asked.address
}

/** A plain account's key is recovered here; a contract that is a wallet is asked on its chain, where there is one. */
async function isSigned({ payments }: Floor, signed: Parameters<typeof isSignedBy>[0]): Promise<boolean> {
  if (await isSignedBy(signed)) return true
  const asked = payments?.facilitator.verifyMessage(signed)
  return (await asked?.catch(() => false)) ?? false
}

function failed(reason: string): Problem {
  return new Problem('SIGN_IN_FAILED', { reason })
}
