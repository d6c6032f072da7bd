import { type Db, value } from '../db.ts'
import type { ContractView, PartyView } from './contracts.ts'
import { type Reader, toJson } from './reader.ts'

interface SigningTerms {
  id: string
  termsHash: string
  chainId: number
  party: PartyView
  createdAt: string
}

/** What a party signs; null if there is no such contract or party. */
export function readForSigning(db: Db, id: string, partyKey: string): Promise<SigningTerms | null> {
  return value(db, 'select contract.read_for_signing($1, $2)', [id, partyKey])
}

/** How a party shows that it is one. A signature was checked before. */
export type Proof =
  | {
      method: 'wallet'
      termsHash: string
      address: string
      signature: string
      /** By the key of the address, or by its chain where the wallet is a contract. */
      checkedBy: 'key' | 'chain'
      signedAt: Date
      account: string | undefined
      ipHash: string
    }
  | { method: 'account'; termsHash: string; account: string; ipHash: string }

/**
 * Throws NOT_FOUND, NOT_A_PARTY, WRONG_METHOD, TERMS_HASH_MISMATCH, ALREADY_SIGNED, CONTRACT_NOT_PENDING or CONTRACT_EXPIRED, as
 * the next one does.
 */
export function signContract(db: Db, id: string, partyKey: string, proof: Proof): Promise<ContractView> {
  return value(db, 'select contract.sign($1, $2, $3)', [id, partyKey, JSON.stringify(proof)])
}

/** By the link of the party, or by an account that belongs to it. */
export function declineContract(
  db: Db,
  reader: Reader,
  partyKey: string,
  reason: string | undefined,
): Promise<ContractView> {
  return value(db, 'select contract.decline($1, $2, $3)', [toJson(reader), partyKey, reason ?? null])
}
