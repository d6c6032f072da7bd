import { ID_PREFIX } from '#kit'
import { type SigningKey, signJws } from '../witness/index.ts'

/** What the service signs of a contract: the end of its log at a time. */
interface ContractStatement {
  typ: string
  contract_id: string
  terms_hash: string
  state: string
  entries: number
  chain_head: string
  stated_at: string
}

interface Stated {
  id: string
  termsHash: string
  state: string
  entries: number
  head: string
}

/** Signs the state of a contract as a compact JWS over the canonical JSON of the statement. */
export function signState(
  { id, termsHash, state, entries, head }: Stated,
  at: Date,
  { kid, privateKey }: SigningKey,
): { statement: ContractStatement; jws: string } {
  const statement = {
    ...{ typ: `${ID_PREFIX}.contract/1`, contract_id: id, terms_hash: termsHash, state, entries, chain_head: head },
    stated_at: at.toISOString(),
  }
  return { statement, jws: signJws({ kid, typ: `${ID_PREFIX}-contract+jws` }, statement, privateKey) }
}
