import { sign } from 'node:crypto'
import { ID_PREFIX } from '#kit'
import { canonicalize, type SigningKey } from '../witness/index.ts'

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
  const signed = `${encode({ alg: 'EdDSA', kid, typ: `${ID_PREFIX}-contract+jws` })}.${encode(statement)}`
  return { statement, jws: `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}` }
}

function encode(value: object): string {
  return Buffer.from(canonicalize(value)).toString('base64url')
}
