import { type Db, value } from '../db.ts'
import type { VerificationView } from './verifications.ts'

/** Of the money of a verification that was never opened, what its owner gets back. */
const REFUND_PERCENT = 80

interface TakenVerification {
  id: string
  accountId: string
  type: 'document' | 'liveness' | 'biometric'
  subject: { firstName?: string; lastName?: string; dob?: string; country?: string } | null
  terms: {
    documentTypes: string[]
    countries: string[]
    minAge?: number
    aml?: { lists: string[]; threshold: number; allowSample: boolean }
  }
  referenceId: string | null
}

interface TakenCheck extends TakenVerification {
  typedZone: string | null
  attempt: number
  isLast: boolean
  images: { side: 'front' | 'back' | 'selfie' | `frame${number}`; key: string; type: string; size: number }[]
}

/** What is to be read; null if that was done or is no longer wanted. */
export function takeCheck(db: Db, id: string, attempt: number): Promise<TakenCheck | null> {
  return value(db, 'select idverify.take_check($1, $2)', [id, attempt])
}

export async function isKnownDocument(db: Db, id: string, hash: string): Promise<boolean | undefined> {
  const isKnown = await value<boolean | null>(db, 'select idverify.is_known_document($1, $2)', [id, hash])
  return isKnown ?? undefined
}

/** Ends the reading of an attempt with all that follows from it. */
export function finishCheck(
  db: Db,
  id: string,
  attempt: number,
  found: object,
  screeningDays: number,
): Promise<string> {
  return value(db, 'select idverify.finish_check($1, $2, $3, $4)', [id, attempt, JSON.stringify(found), screeningDays])
}

interface TakenPoll extends TakenVerification {
  provider: string
  /** Of the session at the provider. */
  reference: string
}

/** What a provider is to be asked for; null if that is no longer wanted. */
export function takePoll(db: Db, id: string): Promise<TakenPoll | null> {
  return value(db, 'select idverify.take_poll($1)', [id])
}

/** Records what the provider has answered, with all that follows from it. */
export function recordResult(db: Db, id: string, found: object, screeningDays: number): Promise<string> {
  return value(db, 'select idverify.record_result($1, $2, $3)', [id, JSON.stringify(found), screeningDays])
}

export async function postponePoll(db: Db, id: string): Promise<void> {
  await value(db, 'select idverify.postpone_poll($1)', [id])
}

export async function expireWhenDue(db: Db, id: string): Promise<void> {
  await value(db, 'select idverify.expire_when_due($1, $2)', [id, REFUND_PERCENT])
}

/** Forgets what is personal once its time is over. Returns the keys of images whose bytes are to be removed. */
export function purgeWhenDue(db: Db, id: string): Promise<string[]> {
  return value(db, 'select idverify.purge_when_due($1)', [id])
}

interface TakenReport {
  accountId: string
  /** When what it says was written, exactly. */
  madeFrom: string
  view: VerificationView
}

/** What a report is to say; null if there is one that says it. */
export function takeReport(db: Db, id: string): Promise<TakenReport | null> {
  return value(db, 'select idverify.take_report($1)', [id])
}

export async function keepReport(
  db: Db,
  id: string,
  { key, sizeBytes, madeFrom }: { key: string; sizeBytes: number; madeFrom: string },
): Promise<void> {
  await value(db, 'select idverify.keep_report($1, $2, $3, $4)', [id, key, sizeBytes, madeFrom])
}

export { forgetObjects } from '../object.ts'
export {
  countEntries,
  findIdentified,
  listFalsePositives,
  listPostings,
  listVersions,
  listWords,
  readBodies,
  readCompared,
} from '../screening/index.ts'
export { reserveImage } from './sessions.ts'
