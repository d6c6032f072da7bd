import { createHash } from 'node:crypto'
import { ID_PREFIX } from '#kit'
import { canonicalize } from '../witness/index.ts'

interface DocumentParty {
  key: string
  name?: string | undefined
  role?: string | undefined
  method: 'wallet' | 'account'
  address?: string | undefined
  customerId?: string | undefined
  email?: string | undefined
  required: boolean
}

interface Agreed {
  title: string
  terms: unknown
  parties: readonly DocumentParty[]
  attachments: readonly { name: string; sha256: string }[]
  arbitration?: object | undefined
  effectiveAt?: string | undefined
}

/** All that the parties agree to, as canonical JSON. What is not given is not there. */
export function writeDocument({ title, terms, parties, attachments, arbitration, effectiveAt }: Agreed): string {
  const document = { version: '1', title, terms, parties, attachments, arbitration, effectiveAt }
  return canonicalize(JSON.parse(JSON.stringify(document)))
}

export function hashDocument(document: string): string {
  return createHash('sha256').update(document).digest('hex')
}

interface Signing {
  /** Of the contract, such as `ctr_...`. */
  id: string
  termsHash: string
  chainId: number
  party: { key: string; role: string | null; address: string | null; nonce: string }
}

export const DOMAIN = { name: `${ID_PREFIX} Agreements`, version: '1' }

export const TYPES = {
  AgreementSignature: [
    { name: 'contractId', type: 'string' },
    { name: 'termsHash', type: 'bytes32' },
    { name: 'party', type: 'address' },
    { name: 'role', type: 'string' },
    { name: 'nonce', type: 'bytes32' },
    { name: 'signedAt', type: 'uint256' },
  ],
}

/** What a wallet signs for a party (EIP-712). The nonce is of one party of one contract, so no signature fits another one. */
export function buildTypedData({ id, termsHash, chainId, party }: Signing, signedAt: number) {
  return {
    domain: { ...DOMAIN, chainId },
    types: {
      EIP712Domain: [
        { name: 'name', type: 'string' },
        { name: 'version', type: 'string' },
        { name: 'chainId', type: 'uint256' },
      ],
      ...TYPES,
    },
    primaryType: 'AgreementSignature' as const,
    message: {
      contractId: id,
      termsHash: `0x${termsHash}`,
      party: party.address!,
      role: party.role ?? party.key,
      nonce: party.nonce,
      signedAt,
    },
  }
}
