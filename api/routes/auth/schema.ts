import { type Static, Type } from 'typebox'
import { Problem } from '#kit'
import { isSignedByAddress, readWalletMessage } from '../../../ops/providers/sign-in/wallet-message.ts'
import { takeChallenge } from '../../../sql/wallet.ts'
import type { ApiContext } from '../../context.ts'

export const CHALLENGE_MINUTES = 5
const MAINNET_CHAIN_ID = 8_453

/** The chain this deployment is paid on, or the configured one if it takes no payments; Base by default. */
export function chainIdOf({ config, payments }: ApiContext): number {
  if (payments) return payments.network.chainId
  return { base: MAINNET_CHAIN_ID, 'base-sepolia': 84_532, dev: 31_337 }[config.x402?.network ?? 'base']
}

/** Whether new accounts of this deployment hold test money. */
export function opensTestAccounts({ config, payments }: ApiContext): boolean {
  if (payments) return payments.network.chainId !== MAINNET_CHAIN_ID
  return config.x402 ? config.x402.network !== 'base' : config.hasTestCheckout
}

export function domainOf({ config }: ApiContext): string {
  return new URL(config.publicUrl).host
}

export const SignedMessage = Type.Object(
  {
    message: Type.String({
      minLength: 1,
      maxLength: 4_000,
      description: 'The message of the challenge, exactly as it was signed.',
    }),
    signature: Type.String({ pattern: '^0x([0-9a-fA-F]{2}){1,4096}$', description: 'Its EIP-191 signature.' }),
    address: Type.Optional(Type.String({ pattern: '^0x[a-fA-F0-9]{40}$' })),
  },
  { additionalProperties: false },
)

/**
 * Returns the address of the wallet that signed the message. The challenge is used up even if the check fails, and
 * every field that matters is compared with the stored challenge, not only with the message itself.
 */
export async function verifyWallet(context: ApiContext, signed: Static<typeof SignedMessage>): Promise<string> {
  const claimed = await readWalletMessage(signed.message, new Date(context.clock.now()))
  if (!claimed) throw createFailure('message')
  const challenge = await takeChallenge(context.db, claimed.nonce)
  if (!challenge) throw createFailure('nonce')
  const { origin } = new URL(context.config.publicUrl)
  if (claimed.domain !== challenge.domain || URL.parse(claimed.uri)?.origin !== origin) throw createFailure('domain')
  if (claimed.chainId !== challenge.chainId) throw createFailure('chain')
  if (claimed.address.toLowerCase() !== challenge.address) throw createFailure('address')
  if (signed.address && signed.address.toLowerCase() !== challenge.address) throw createFailure('address')
  const { message, signature } = signed
  if (!(await isSignatureValid(context, { address: challenge.address, message, signature })))
    throw createFailure('signature')
  return challenge.address
}

/** Recovers the key of a plain account here, and lets the facilitator check a contract wallet on its chain. */
async function isSignatureValid(
  { payments }: ApiContext,
  signed: Parameters<typeof isSignedByAddress>[0],
): Promise<boolean> {
  if (await isSignedByAddress(signed)) return true
  const verification = payments?.facilitator.verifyMessage(signed)
  return (await verification?.catch(() => false)) ?? false
}

function createFailure(reason: string): Problem {
  return new Problem('SIGN_IN_FAILED', { reason })
}
