import { type Db, rows, value } from '../db.ts'
import type { AskKind, AskStatus, FileView, NewFile } from './asks.ts'

/** An ask as whoever replies sees it. */
export interface ReplyTerms {
  askId: string
  status: AskStatus
  recipient: string | null
  wallet: string | null
  isShared: boolean
  hasReplied: boolean
  kind: AskKind
  question: string
  context: unknown
  options: { key: string; label: string; description?: string; style?: string }[] | null
  schema: object | null
  proposal: unknown
  urgency: string
  allowComment: boolean
  allowEdit: boolean
  attachments: FileView[]
  createdAt: string
  expiresAt: string
}

/** Throws NOT_FOUND. */
export function readForReply(db: Db, tokenHash: Buffer): Promise<ReplyTerms> {
  return value(db, 'select ask.read_for_reply($1)', [tokenHash])
}

interface NewReply {
  name: string | undefined
  decision: 'approved' | 'denied' | undefined
  value: unknown
  comment: string | undefined
  editedProposal: unknown
  file: NewFile | undefined
  method: 'api' | 'page'
}

/** Throws NOT_FOUND, ALREADY_REPLIED, ASK_CLOSED, GONE or WRONG_WALLET. `accountId` is that of whoever replies, if known. */
export function storeReply(
  db: Db,
  tokenHash: Buffer,
  { file, ...reply }: NewReply,
  accountId: string | undefined,
): Promise<ReplyTerms> {
  const values = [tokenHash, JSON.stringify(reply), file ? JSON.stringify(file) : null, accountId ?? null]
  return value(db, 'select ask.reply($1, $2, $3, $4)', values)
}

interface StoredFile {
  name: string
  content_type: string
  sha256: string
  content: Buffer
}

/** By the id of an ask of the account, or by the token of a recipient. Throws NOT_FOUND. */
export async function readFile(
  db: Db,
  by: { accountId: string; askId: string } | { tokenHash: Buffer },
  fileId: string,
): Promise<StoredFile> {
  const who = 'tokenHash' in by ? [null, null, by.tokenHash] : [by.accountId, by.askId, null]
  const [file] = await rows<StoredFile>(db, 'select * from ask.read_file($1, $2, $3, $4)', [...who, fileId])
  return file!
}
