import { type PayingJob, serializeJob } from '../call.ts'
import { type Db, rows, value } from '../db.ts'

interface NewMailbox {
  id: string
  seconds: number
  capacityBytes: number
  maxMessageBytes: number
  maxMessages: number
  /** Messages a minute from one address. */
  dropRate: number
  contentTypes: readonly string[] | null
  label: string | null
  tokenHash: Buffer
  /** Where its messages are announced; the secret is encrypted. */
  webhook: { id: string; url: string; secret: string } | undefined
}

/** A mailbox as its owner sees it. */
interface MailboxRecord {
  lease_id: string
  expires_at: string
  has_webhook: boolean
}

export function buyMailbox(db: Db, job: PayingJob, mailbox: NewMailbox): Promise<MailboxRecord> {
  const fields = JSON.stringify({
    id: mailbox.id,
    account_id: job.accountId,
    kind: 'mailbox',
    job_id: job.id,
    max_body_bytes: mailbox.maxMessageBytes,
    capacity_bytes: mailbox.capacityBytes,
    max_messages: mailbox.maxMessages,
    drop_rate: mailbox.dropRate,
    content_types: mailbox.contentTypes,
    label: mailbox.label,
  })
  const webhook = mailbox.webhook ? JSON.stringify(mailbox.webhook) : null
  const values = [serializeJob(job), fields, mailbox.seconds, mailbox.tokenHash, webhook]
  return value(db, 'select mailbox.buy($1, $2, $3, $4, $5)', values)
}

interface DropTerms {
  id: string
  max_message_bytes: number
  drop_rate: number
  allowed_content_types: string[] | null
}

/** What a drop must know before its body is read. Throws NOT_FOUND or GONE, as the functions below do. */
export function readDropTerms(db: Db, tokenHash: Buffer): Promise<DropTerms> {
  return value(db, 'select mailbox.read_drop_terms($1)', [tokenHash])
}

interface Receipt {
  message_id: string
  expires_at: string
  is_replay?: true
}

interface NewMessage {
  body: Buffer
  contentType: string
  filename: string | undefined
  idempotencyKey: string | undefined
}

/** Throws BODY_TOO_LARGE, MAILBOX_FULL or MESSAGE_COUNT_EXCEEDED. */
export function dropMessage(db: Db, tokenHash: Buffer, message: NewMessage): Promise<Receipt> {
  const { body, contentType, filename, idempotencyKey } = message
  return value(db, 'select mailbox.drop_message($1, $2, $3, $4, $5)', [
    tokenHash,
    body,
    contentType,
    filename ?? null,
    idempotencyKey ?? null,
  ])
}

/** Of another account's mailbox these functions throw FORBIDDEN. */
export interface MailboxOf {
  accountId: string
  id: string
}

export function readMailbox(db: Db, { accountId, id }: MailboxOf): Promise<MailboxRecord> {
  return value(db, 'select mailbox.read($1, $2)', [accountId, id])
}

export function listMailboxes(db: Db, accountId: string, limit: number, offset: number): Promise<unknown[]> {
  return value(db, 'select mailbox.list($1, $2, $3)', [accountId, limit, offset])
}

export async function deleteMailbox(db: Db, { accountId, id }: MailboxOf): Promise<void> {
  await value(db, 'select mailbox.remove($1, $2)', [accountId, id])
}

export function rotateDropToken(db: Db, { accountId, id }: MailboxOf, tokenHash: Buffer): Promise<MailboxRecord> {
  return value(db, 'select mailbox.rotate_drop_token($1, $2, $3)', [accountId, id, tokenHash])
}

interface MessageList {
  items: { id: string }[]
  used_bytes: number
  capacity_bytes: number
  count: number
  expires_at: string
}

/** Up to `limit` messages and one more, if there are more. */
export function listMessages(
  db: Db,
  { accountId, id }: MailboxOf,
  { after, isUnread, limit }: { after: string | undefined; isUnread: boolean; limit: number },
): Promise<MessageList> {
  const values = [accountId, id, after ?? null, isUnread, limit]
  return value(db, 'select mailbox.list_messages($1, $2, $3, $4, $5)', values)
}

interface StoredMessage {
  body: Buffer
  content_type: string
  filename: string | null
  sha256: string
  received_at: Date
  expires_at: Date
}

/** Marks it as read, unless it is only looked at. */
export async function readMessage(
  db: Db,
  { accountId, id }: MailboxOf,
  messageId: string,
  isMarked: boolean,
): Promise<StoredMessage> {
  const text = 'select * from mailbox.read_message($1, $2, $3, $4)'
  const values = [accountId, id, messageId, isMarked]
  const [found] = await rows<StoredMessage & Record<string, unknown>>(db, text, values)
  return found!
}

export async function deleteMessage(db: Db, { accountId, id }: MailboxOf, messageId: string): Promise<void> {
  await value(db, 'select mailbox.remove_message($1, $2, $3)', [accountId, id, messageId])
}
