import type { ProblemData } from '#kit'
import type { Sealable } from '../../tasks/products/esigndoc/seal-request.ts'
import { type Db, value } from '../db.ts'
import { type Preparation, readPreparation as read, reserveObject as reserve } from './preparations.ts'

/** Ends an envelope whose time is over, reminds those who are due, and queues itself for what comes next. */
export async function runDue(db: Db, id: string): Promise<void> {
  await value(db, 'select esigndoc.run_due($1)', [id])
}

interface Notice {
  id: string
  accountId: string
  envelopeId: string
  name: string
  email: string
  role: string
  language: string
  linkNonce: string
  title: string
  sender: string
  subject: string | null
  message: string | null
  expiresAt: string
  timezone: string
  reason: string | null
}

/** What a recipient is to be told; null if that is not needed any more. */
export function readNotice(db: Db, recipient: string, occasion: string): Promise<Notice | null> {
  return value(db, 'select esigndoc.read_notice($1, $2)', [recipient, occasion])
}

interface Mail {
  id: string
  accountId: string
  name: string
  key: string
  email: string
  data: object
  sealed: string
}

/** Writes a mail into the outbox, once for its key, and queues the step that notes what became of it. */
export async function queueMail(db: Db, recipient: string, mail: Mail): Promise<void> {
  await value(db, 'select esigndoc.queue_mail($1, $2)', [recipient, JSON.stringify(mail)])
}

export async function followMail(db: Db, recipient: string, name: string, key: string): Promise<void> {
  await value(db, 'select esigndoc.follow_mail($1, $2, $3)', [recipient, name, key])
}

export function readPreparation(db: Db, id: string): Promise<Preparation | null> {
  return read(db, id)
}

export function reserveObject(db: Db, accountId: string, key: string, type: string): Promise<void> {
  return reserve(db, accountId, key, type)
}

export async function finishPreparation(
  db: Db,
  id: string,
  result: object | null,
  problem: ProblemData | null,
): Promise<void> {
  const values = [id, result && JSON.stringify(result), problem && JSON.stringify(problem)]
  await value(db, 'select esigndoc.finish_preparation($1, $2, $3)', values)
}

/** Whether a page is still to be drawn. */
export function needsPage(db: Db, accountId: string, key: string, page: number, width: number): Promise<boolean> {
  return value(db, 'select esigndoc.needs_page($1, $2, $3, $4)', [accountId, key, page, width])
}

interface PageImage {
  account: string
  contentKey: string
  key: string
}

/** Records an image that is about to be stored. False: its document has gone. */
export function reservePage(db: Db, { account, contentKey, key }: PageImage, type: string): Promise<boolean> {
  return value(db, 'select esigndoc.reserve_page($1, $2, $3, $4)', [account, contentKey, key, type])
}

interface StoredPage extends PageImage {
  page: number
  width: number
  sizeBytes: number
}

/** False: its document has gone while the image was stored. */
export function storePage(db: Db, page: StoredPage): Promise<boolean> {
  return value(db, 'select esigndoc.store_page($1)', [JSON.stringify(page)])
}

/** All that is sealed; null if that was done. */
export function readForSealing(db: Db, id: string): Promise<Sealable | null> {
  return value(db, 'select esigndoc.read_for_sealing($1)', [id])
}

/** Ends an envelope with its sealed documents, once. */
export async function finishSeal(db: Db, id: string, outputs: readonly object[], seal: object): Promise<void> {
  await value(db, 'select esigndoc.finish_seal($1, $2, $3)', [id, JSON.stringify(outputs), JSON.stringify(seal)])
}

interface Phone {
  phone: string
  language: string
  title: string
}

/** Null: no code is waited for any more. */
export function readPhone(db: Db, recipient: string): Promise<Phone | null> {
  return value(db, 'select esigndoc.read_phone($1)', [recipient])
}

export async function noteDeliveryError(db: Db, recipient: string, error: string): Promise<void> {
  await value(db, 'select esigndoc.note_delivery_error($1, $2)', [recipient, error])
}

const BATCH = 100

/** Deletes a batch of envelopes that came to nothing so long ago. Returns how many. */
export async function forgetEnvelopes(db: Db, days: number): Promise<number> {
  return Number(await value(db, 'select esigndoc.forget($1, $2)', [days, BATCH]))
}

/** Sends the draft of a row of a batch under a job of its own; it is not sent twice. */
export async function sendRow(
  db: Db,
  { batch, position }: { batch: string; position: number },
  jobId: string,
  chargeMicros: bigint,
  baton: object,
): Promise<void> {
  const values = [batch, position, jobId, chargeMicros, JSON.stringify(baton)]
  await value(db, 'select esigndoc.send_row($1, $2, $3, $4, $5)', values)
}
