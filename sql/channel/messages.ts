import { type Db, value } from '../db.ts'
import { toJson, type Visitor } from './channels.ts'

interface MessageView {
  id: string
  seq: number
  sender: string | null
  type: string | null
  to: string | null
  replyTo: string | null
  body: unknown
  createdAt: string
  attempts: number
  isDead: boolean
}

interface NewMessage {
  id: string
  type: string | undefined
  to: string | undefined
  replyTo: string | undefined
  dedupeKey: string | undefined
  body: unknown
  seconds: number | undefined
}

/** Throws FORBIDDEN, BODY_TOO_LARGE, CHANNEL_FULL or IDEMPOTENCY_CONFLICT. */
export function postMessage(
  db: Db,
  visitor: Visitor,
  { id, type, to, replyTo, dedupeKey, body, seconds }: NewMessage,
): Promise<{ id: string; seq: number; isRepeat: boolean }> {
  const fields = { id, type, recipient: to, reply_to: replyTo, dedupe_key: dedupeKey }
  const values = [toJson(visitor), JSON.stringify(fields), JSON.stringify(body), seconds ?? null]
  return value(db, 'select channel.post($1, $2, $3, $4)', values)
}

interface MessageFilter {
  after: number
  types: readonly string[]
  to: string | undefined
  isDead: boolean
}

/** Throws FORBIDDEN, as those below do. */
export function readMessages(
  db: Db,
  visitor: Visitor,
  filter: MessageFilter,
  limit: number,
): Promise<{ channel: string; expiresAt: string; messages: MessageView[] }> {
  return value(db, 'select channel.read_messages($1, $2, $3)', [toJson(visitor), JSON.stringify(filter), limit])
}

/** How often a message is handed out before it is dead. */
const MAX_ATTEMPTS = 5

export type Claim = MessageView & { receipt: string; visibleAt: string }

/** Throws NOT_A_QUEUE, as the next one does. */
export function claimMessages(
  db: Db,
  visitor: Visitor,
  { seconds, max }: { seconds: number; max: number },
): Promise<{ channel: string; nextMs: number; messages: Claim[] }> {
  return value(db, 'select channel.claim($1, $2, $3, $4)', [toJson(visitor), seconds, max, MAX_ATTEMPTS])
}

/** Ends claimed messages, or with `delaySeconds` gives them back. */
export function answerClaims(
  db: Db,
  visitor: Visitor,
  receipts: readonly string[],
  delaySeconds?: number,
): Promise<{ done: number; stale: string[] }> {
  const values = [toJson(visitor), receipts, delaySeconds ?? null, MAX_ATTEMPTS]
  return value(db, 'select channel.answer_claims($1, $2, $3, $4)', values)
}

interface MemberView {
  member: string
  state: string | null
  seenAt: string
  expiresAt: string
}

/** Throws TOO_MANY_MEMBERS. */
export function seeMember(
  db: Db,
  visitor: Visitor,
  { member, state, seconds }: { member: string; state: string | undefined; seconds: number },
  max: number,
): Promise<MemberView[]> {
  return value(db, 'select channel.see($1, $2, $3, $4, $5)', [toJson(visitor), member, state ?? null, seconds, max])
}

export function readMembers(db: Db, visitor: Visitor): Promise<MemberView[]> {
  return value(db, 'select channel.read_members($1)', [toJson(visitor)])
}
