import { createHmac } from 'node:crypto'
import { Problem } from '#kit'
import { digestTypedData, isDigestSigned } from '../../../ops/providers/chain/typed-data.ts'
import { deriveKey } from '../../../ops/secrets.ts'
import type { ContractView } from '../../../sql/contract/contracts.ts'
import { type Proof, readForSigning, signContract } from '../../../sql/contract/signatures.ts'
import { buildTypedData } from '../../../tasks/products/contract/index.ts'
import type { ApiContext } from '../../context.ts'
import { requireTokenRate } from '../../intake/identity/rate-limit.ts'

/** How far the clock of a wallet may be off, and how long a wallet may be asked before it answers. */
const TOLERANCE_SECONDS = 900

interface WalletSignature {
  signature: string
  address: string
  signedAt: number
}

interface Signer {
  id: string
  partyKey: string
  accountId: string | undefined
  ip: string
}

/** Checks the signature of a wallet and records it. */
export async function signByWallet(
  context: ApiContext,
  signer: Signer,
  signature: WalletSignature,
): Promise<ContractView> {
  return signContract(context.db, signer.id, signer.partyKey, await proveByWallet(context, signer, signature))
}

/** Checks the signature of a wallet: whoever sends it is the party. */
export async function proveByWallet(
  context: ApiContext,
  { id, partyKey, accountId, ip }: Signer,
  { signature, address, signedAt }: WalletSignature,
): Promise<Proof> {
  const perAddress = context.settings.get('rate.contract_calls_per_minute')
  requireTokenRate(context, { kind: 'contract-sign', ip, perAddress })
  const terms = await readForSigning(context.db, id, partyKey)
  if (!terms) throw new Problem('NOT_A_PARTY')
  if (terms.party.method !== 'wallet') throw new Problem('WRONG_METHOD', { required: terms.party.method })
  const isNear = Math.abs(Date.now() / 1_000 - signedAt) <= TOLERANCE_SECONDS
  if (!isNear)
    throw new Problem('SIGNATURE_INVALID', { reason: `signedAt is not within ${TOLERANCE_SECONDS} s of now` })
  const lower = address.toLowerCase()
  if (lower !== terms.party.address) throw new Problem('SIGNATURE_INVALID', { reason: 'the party has another address' })
  const digest = await digestTypedData(buildTypedData(terms, signedAt) as never)
  const checkedBy = await checkSignature(context, terms.chainId, { address: lower, digest, signature })
  return {
    ...({ method: 'wallet', termsHash: terms.termsHash, address: lower, signature } as const),
    ...{ checkedBy, account: accountId, signedAt: new Date(signedAt * 1_000), ipHash: hashAddress(context, ip) },
  }
}

/**
 * A plain account is checked here, a wallet that is a contract on its chain: on another one, its address may belong to
 * somebody else.
 */
async function checkSignature(
  { payments }: ApiContext,
  chainId: number,
  signed: { address: string; digest: Uint8Array; signature: string },
): Promise<'key' | 'chain'> {
  if (await isDigestSigned(signed)) return 'key'
  if (payments?.network.chainId === chainId) {
    if (await payments.facilitator.verifyDigest(signed).catch(refuseUnknown)) return 'chain'
    throw new Problem('SIGNATURE_INVALID')
  }
  if (/^0x[0-9a-fA-F]{130}$/.test(signed.signature)) throw new Problem('SIGNATURE_INVALID')
  throw new Problem('PROVIDER_NOT_CONFIGURED', { capability: 'evm.rpc', chainId, set: 'X402_RPC_URL' })
}

function refuseUnknown(): never {
  throw new Problem('PROVIDER_UNAVAILABLE', { capability: 'evm.rpc' })
}

/** Records the assent of an account, which the service vouches for. */
export function signByAccount(
  context: ApiContext,
  { id, partyKey, accountId, ip }: Signer & { accountId: string },
  termsHash: string,
): Promise<ContractView> {
  const ipHash = hashAddress(context, ip)
  return signContract(context.db, id, partyKey, { method: 'account', termsHash, account: accountId, ipHash })
}

/** Tells whether two acts came from one address, without telling which. */
function hashAddress({ config }: ApiContext, ip: string): string {
  return createHmac('sha256', deriveKey(config.secret, 'contract-ip')).update(ip).digest('hex').slice(0, 32)
}
