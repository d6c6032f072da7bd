import { type PayingJob, serializeJob } from '../call.ts'
import { type Db, rows, value } from '../db.ts'
import { type Reader, toJson } from './reader.ts'

export interface NewEvidence {
  id: string
  title: string
  text: string | undefined
  sha256: string | undefined
  file: { name: string; contentType: string; base64: string } | undefined
  /** The most that the files of one party in a dispute have together. */
  maxFileBytes: number
}

export interface DisputeView {
  disputeId: string
  contractId: string
  status: 'open' | 'deliberating' | 'ruled' | 'withdrawn' | 'failed'
  claimant: string
  claim: string
  requestedRelief: string
  evidenceDeadline: string
  evidence: {
    id: string
    partyKey: string
    title: string
    text: string | null
    file: { name: string; contentType: string; sizeBytes: number } | null
    sha256: string
  }[]
  ruling: { outcome: string; summary: string } | null
  jws: string | null
  createdAt: string
}

interface NewDispute {
  id: string
  partyKey: string
  claim: string
  relief: string
  /** Whether a language model is configured here. */
  hasModel: boolean
  evidence: readonly NewEvidence[]
}

/** How much evidence one party can give. */
const MAX_EVIDENCE = 20

/**
 * Opens a dispute and ends the job that pays for it, in one transaction. Throws NOT_A_PARTY, ARBITRATION_NOT_AGREED,
 * DISPUTE_OPEN, CONTRACT_NOT_ACTIVE, TOO_MUCH_EVIDENCE or PROVIDER_NOT_CONFIGURED.
 */
export function openDispute(
  db: Db,
  job: PayingJob,
  reader: Reader,
  { evidence, ...fields }: NewDispute,
): Promise<DisputeView> {
  const values = [serializeJob(job), toJson(reader), JSON.stringify(fields), JSON.stringify(evidence), MAX_EVIDENCE]
  return value(db, 'select contract.open_dispute($1, $2, $3, $4, $5)', values)
}

/** Throws NOT_FOUND, as those below do. */
export function readDispute(db: Db, reader: Reader, id: string): Promise<DisputeView> {
  return value(db, 'select contract.read_dispute($1, $2)', [toJson(reader), id])
}

/** Throws NOT_A_PARTY, EVIDENCE_CLOSED or TOO_MUCH_EVIDENCE. */
export function addEvidence(
  db: Db,
  reader: Reader,
  id: string,
  { partyKey, ...evidence }: NewEvidence & { partyKey: string },
): Promise<DisputeView> {
  const values = [toJson(reader), id, partyKey, JSON.stringify(evidence), MAX_EVIDENCE]
  return value(db, 'select contract.add_evidence($1, $2, $3, $4, $5)', values)
}

interface StoredFile {
  name: string
  content_type: string
  sha256: string
  content: Buffer
}

/** The file of evidence, by the place of that in its dispute. */
export async function readEvidenceFile(db: Db, reader: Reader, id: string, position: number): Promise<StoredFile> {
  const [file] = await rows<StoredFile>(db, 'select * from contract.read_file($1, $2, $3)', [
    toJson(reader),
    id,
    position,
  ])
  return file!
}

/** The file of evidence of a dispute that waits for the operator who acts. Throws NOT_FOUND. */
export async function readEvidenceAsOperator(db: Db, id: string, position: number): Promise<StoredFile> {
  const [file] = await rows<StoredFile>(db, 'select * from contract.read_file_as_operator($1, $2)', [id, position])
  return file!
}

/** Throws NOT_A_PARTY or EVIDENCE_CLOSED. */
export function withdrawDispute(db: Db, reader: Reader, id: string): Promise<DisputeView> {
  return value(db, 'select contract.withdraw_dispute($1, $2)', [toJson(reader), id])
}

export interface DueDispute {
  dispute: DisputeView
  title: string
  document: string
}

/** A ruling in the name of the operator who acts. Throws DISPUTE_NOT_DUE. */
export async function ruleAsOperator(db: Db, id: string, ruling: object, jws: string): Promise<void> {
  await value(db, 'select contract.rule_as_operator($1, $2, $3)', [id, JSON.stringify(ruling), jws])
}

/** The disputes that wait for the ruling of the operator. */
export function listDueDisputes(db: Db, limit: number): Promise<DueDispute[]> {
  return value(db, 'select contract.list_due_disputes($1)', [limit])
}

/** Throws DISPUTE_NOT_DUE. */
export function recordRuling(
  db: Db,
  id: string,
  { ruling, jws, actor }: { ruling: object; jws: string; actor: string },
): Promise<DisputeView> {
  return value(db, 'select contract.rule($1, $2, $3, $4)', [id, JSON.stringify(ruling), jws, actor])
}
