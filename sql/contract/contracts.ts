import { type PayingJob, serializeJob } from '../call.ts'
import { type Db, value } from '../db.ts'
import type { DisputeView } from './disputes.ts'
import { type Reader, toBytea, toJson } from './reader.ts'

type ContractStatus = 'pending' | 'active' | 'disputed' | 'ruled' | 'declined' | 'expired' | 'withdrawn' | 'superseded'

export interface NewParty {
  id: string
  key: string
  name: string | undefined
  role: string | undefined
  method: 'wallet' | 'account'
  address: string | undefined
  customerId: string | undefined
  email: string | undefined
  required: boolean
  nonce: Buffer
  tokenHash: Buffer
}

interface NewContract {
  id: string
  title: string
  /** Canonical JSON. */
  document: string
  chainId: number
  referenceId: string | undefined
  metadata: object | undefined
  supersedes: string | undefined
  expiresAt: Date
  parties: readonly NewParty[]
  /** The ledger that gets a copy of the log. */
  baton: object
}

/** A mail to a party; what only it may read is encrypted. */
interface Invitation {
  id: string
  key: string
  recipient: string
  data: object
  sealed: string
}

export interface PartyView {
  id: string
  key: string
  name: string | null
  role: string | null
  method: 'wallet' | 'account'
  address: string | null
  customerId: string | null
  email: string | null
  required: boolean
  nonce: string
  status: 'pending' | 'signed' | 'declined'
  signature: string | null
  signedAt: string | null
}

export interface ContractView {
  id: string
  status: ContractStatus
  title: string
  document: ContractDocument
  termsHash: string
  chainId: number
  parties: PartyView[]
  allSigned: boolean
  disputes: DisputeView[]
  log: { entries: number; head: string }
  isCreator: boolean
  createdAt: string
  expiresAt: string
  /** The party whose link or account it was read with. */
  partyKey?: string | null
}

interface ContractDocument {
  terms: unknown
  attachments: { name: string; sha256: string }[]
  effectiveAt?: string
  arbitration?: { arbitrator: 'ai' | 'operator'; evidenceWindowHours: number; rules?: string }
}

/** Makes a contract and ends the job that pays for it, in one transaction. Throws TOO_MANY_CONTRACTS or NOT_SUPERSEDABLE. */
export function createContract(
  db: Db,
  job: PayingJob,
  contract: NewContract & { invitations: readonly Invitation[] },
  maxOpen: number,
): Promise<ContractView> {
  const { id, title, document, chainId, referenceId, metadata, supersedes, expiresAt, parties, baton } = contract
  const fields = {
    ...{ id, account_id: job.accountId, title, document, chain_id: chainId, reference_id: referenceId },
    ...{ metadata, supersedes, expires_at: expiresAt },
  }
  const rows = parties.map(party => ({
    ...party,
    nonce: toBytea(party.nonce),
    tokenHash: toBytea(party.tokenHash),
  }))
  const values = [
    serializeJob(job),
    JSON.stringify(fields),
    JSON.stringify(rows),
    JSON.stringify(baton),
    JSON.stringify(contract.invitations),
    maxOpen,
  ]
  return value(db, 'select contract.create($1, $2, $3, $4, $5, $6)', values)
}

/** Throws NOT_FOUND, as those below do. */
export function readContract(db: Db, reader: Reader): Promise<ContractView> {
  return value(db, 'select contract.read($1)', [toJson(reader)])
}

export function listContracts(
  db: Db,
  accountId: string,
  status: ContractStatus | undefined,
  page: { limit: number; offset: number },
): Promise<ContractView[]> {
  return value(db, 'select contract.list($1, $2, $3, $4)', [accountId, status ?? null, page.limit, page.offset])
}

interface StoredBundle {
  contract: ContractView
  document: string
  log: { text: string; hash: string }[]
}

export function readBundle(db: Db, reader: Reader): Promise<StoredBundle> {
  return value(db, 'select contract.read_bundle($1)', [toJson(reader)])
}

/** Throws CONTRACT_NOT_PENDING or CONTRACT_EXPIRED. */
export function withdrawContract(db: Db, accountId: string, id: string): Promise<ContractView> {
  return value(db, 'select contract.withdraw($1, $2)', [accountId, id])
}

interface InboxRow {
  party: string
  title: string
  createdAt: string
  expiresAt: string
}

/** The open contracts that wait for the owner of an account. */
export function listInbox(db: Db, accountId: string, limit: number): Promise<InboxRow[]> {
  return value(db, 'select contract.list_inbox($1, $2)', [accountId, limit])
}
