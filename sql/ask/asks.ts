import { type PayingJob, serializeJob } from '../call.ts'
import { type Db, value } from '../db.ts'

export type AskKind = 'approval' | 'choice' | 'text' | 'number' | 'form' | 'file'

export type AskStatus =
  | 'open'
  | 'partially_replied'
  | 'replied'
  | 'expired'
  | 'defaulted'
  | 'cancelled'
  | 'undeliverable'

export type RecipientKind = 'link' | 'email' | 'slack' | 'telegram' | 'sms' | 'webhook' | 'wallet' | 'channel'

export interface NewRecipient {
  id: string
  name: string | undefined
  kind: RecipientKind
  address: string | undefined
  tokenHash: Buffer
  sealedUrl: string
  /** Of the escalation; 0 for those who are asked first. */
  step: number
  afterSeconds: number
  /** `none`: the owner passes the link on. */
  delivery: 'none' | 'waiting' | 'failed'
  error: string | undefined
}

export interface NewFile {
  id: string
  name: string
  contentType: string
  base64: string
}

export interface NewAsk {
  id: string
  threadId: string
  referenceId: string | undefined
  metadata: object | undefined
  kind: AskKind
  urgency: string
  question: string
  context: unknown
  options: readonly object[] | undefined
  form: object | undefined
  proposal: unknown
  allowsComment: boolean
  allowsEdit: boolean
  needed: number
  voters: number
  denialEnds: boolean
  defaultReply: object | undefined
  expiresInSeconds: number
  reminders: readonly number[]
  recipients: readonly NewRecipient[]
  attachments: readonly NewFile[]
}

interface RecipientView {
  id: string
  name: string | null
  kind: RecipientKind
  address: string | null
  step: number
  askedAt: string | null
  delivery: 'none' | 'waiting' | 'sent' | 'failed'
  deliveryError: string | null
  hasReplied: boolean
}

export interface FileView {
  id: string
  name: string
  contentType: string
  sizeBytes: number
  sha256: string
}

interface ReplyView {
  recipient: string
  decision: 'approved' | 'denied' | null
  value: unknown
  comment: string | null
  editedProposal: unknown
  method: 'api' | 'page'
  repliedAt: string
}

/** An ask as its owner sees it. */
export interface AskView {
  id: string
  status: AskStatus
  outcome: string | null
  kind: AskKind
  question: string
  context: unknown
  proposal: unknown
  urgency: string
  needed: number
  voters: number
  recipients: RecipientView[]
  replies: ReplyView[]
  attachments: FileView[]
  defaultReply: object | null
  threadId: string
  createdAt: string
  expiresAt: string
  endedAt: string | null
}

/** Asks, and ends the job that pays for it, in one transaction. Throws TOO_MANY_ASKS. */
export function openAsk(db: Db, job: PayingJob, ask: NewAsk, maxOpen: number): Promise<AskView> {
  const { recipients, attachments, reminders, expiresInSeconds } = ask
  const fields = {
    ...{ id: ask.id, account_id: job.accountId, thread_id: ask.threadId, reference_id: ask.referenceId },
    ...{ metadata: ask.metadata, kind: ask.kind, urgency: ask.urgency, question: ask.question, context: ask.context },
    ...{ options: ask.options, form: ask.form, proposal: ask.proposal, allows_comment: ask.allowsComment },
    ...{ allows_edit: ask.allowsEdit, needed: ask.needed, voters: ask.voters, denial_ends: ask.denialEnds },
    default_reply: ask.defaultReply,
  }
  const rows = recipients.map(recipient => ({ ...recipient, tokenHash: `\\x${recipient.tokenHash.toString('hex')}` }))
  return value(db, 'select ask.open($1, $2, $3, $4, $5, $6)', [
    serializeJob(job),
    JSON.stringify(fields),
    JSON.stringify(rows),
    JSON.stringify(attachments),
    JSON.stringify({ expires: expiresInSeconds, reminders }),
    maxOpen,
  ])
}

interface AskFilter {
  status?: AskStatus | undefined
  threadId?: string | undefined
  referenceId?: string | undefined
}

export function listAsks(
  db: Db,
  accountId: string,
  filter: AskFilter,
  page: { limit: number; offset: number },
): Promise<AskView[]> {
  const values = [accountId, JSON.stringify(filter), page.limit, page.offset]
  return value(db, 'select ask.list($1, $2, $3, $4)', values)
}

/** Throws NOT_FOUND, as those below do. */
export function readAsk(db: Db, accountId: string, id: string): Promise<AskView> {
  return value(db, 'select ask.read($1, $2)', [accountId, id])
}

/** Throws ASK_CLOSED. */
export function cancelAsk(db: Db, accountId: string, id: string): Promise<AskView> {
  return value(db, 'select ask.cancel($1, $2)', [accountId, id])
}

const REMIND_SECONDS = 60

/** Throws ASK_CLOSED or REMINDED_RECENTLY. */
export function remind(db: Db, accountId: string, id: string): Promise<AskView> {
  return value(db, 'select ask.remind($1, $2, $3)', [accountId, id, REMIND_SECONDS])
}

interface InboxRow {
  recipient: string
  question: string
  urgency: string
  askedAt: string
  expiresAt: string
}

/** The open asks that are addressed to the owner of an account. */
export function listInbox(db: Db, accountId: string, limit: number): Promise<InboxRow[]> {
  return value(db, 'select ask.list_inbox($1, $2)', [accountId, limit])
}
