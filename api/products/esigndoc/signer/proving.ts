import { randomInt } from 'node:crypto'
import { newId, Problem } from '#kit'
import { isDigestSigned } from '../../../../ops/providers/chain/typed-data.ts'
import { seal } from '../../../../ops/secrets.ts'
import {
  type Origin,
  prove,
  readForSigning,
  type Signer,
  type SigningView,
  sendCode,
} from '../../../../sql/esigndoc/signing.ts'
import type { ApiContext } from '../../../context.ts'
import { hashCode, toBytea } from '../recipients.ts'

/** Sends the recipient a new code, by mail or as a text message. */
export async function requestCode(
  context: ApiContext,
  signer: Signer,
): Promise<{ method: string; validUntil: string }> {
  const { db, config } = context
  const { recipient } = await readForSigning(db, signer)
  const code = String(randomInt(1_000_000)).padStart(6, '0')
  const id = newId()
  const hash = toBytea(hashCode(config.secret, recipient.uuid, code))
  return sendCode(db, signer.token, { id, hash, sealed: seal(config.secret, JSON.stringify({ code }), id) })
}

interface GivenProof {
  code?: string | undefined
  wallet?: { address: string; signature: string; signedAt: number } | undefined
}

/** Admits a browser whose proof is right. Throws CODE_WRONG or CODES_EXHAUSTED. */
export async function proveAs(
  context: ApiContext,
  signer: Signer & { session: Buffer },
  given: GivenProof,
  origin: Origin,
): Promise<void> {
  const { db, config } = context
  const view = await readForSigning(db, signer)
  const wallet = view.verification === 'wallet' ? await readWallet(view, given.wallet) : undefined
  const codeHash =
    given.code === undefined ? undefined : toBytea(hashCode(config.secret, view.recipient.uuid, given.code))
  const { code, hints } = await prove(db, signer.token, signer.session, { ...origin, codeHash, wallet })
  if (code !== null) throw new Problem(code, hints)
}

/** How far the clock of a wallet may be off, and how long it may be asked before it answers. */
const TOLERANCE_SECONDS = 900

/** What a wallet signs to prove who it is (EIP-712). */
export function buildWalletProof({ id, recipient, wallet }: SigningView, signedAt: number) {
  return {
    domain: { name: 'coinop envelopes', version: '1' },
    types: {
      // Wallets take a domain without its type for an empty one.
      EIP712Domain: [
        { name: 'name', type: 'string' },
        { name: 'version', type: 'string' },
      ],
      EnvelopeAccess: [
        { name: 'envelope', type: 'string' },
        { name: 'recipient', type: 'string' },
        { name: 'wallet', type: 'address' },
        { name: 'signedAt', type: 'uint256' },
      ],
    },
    primaryType: 'EnvelopeAccess' as const,
    message: { envelope: id, recipient: recipient.id, wallet: wallet!, signedAt },
  }
}

async function readWallet(view: SigningView, given: GivenProof['wallet']): Promise<string | undefined> {
  if (!given) throw new Problem('MISSING_FIELD', { field: 'wallet' })
  const isNear = Math.abs(Date.now() / 1_000 - given.signedAt) <= TOLERANCE_SECONDS
  if (!isNear) throw new Problem('CODE_WRONG', { reason: `signedAt is not within ${TOLERANCE_SECONDS} s of now` })
  const address = given.address.toLowerCase()
  if (address !== view.wallet) return undefined
  const { digestTypedData } = await import('../../../../ops/providers/chain/typed-data.ts')
  const digest = await digestTypedData(buildWalletProof(view, given.signedAt) as never)
  return (await isDigestSigned({ address, digest, signature: given.signature })) ? address : undefined
}
