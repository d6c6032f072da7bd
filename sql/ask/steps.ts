import { type Db, value } from '../db.ts'
import type { RecipientKind } from './asks.ts'

/** Ends an ask whose time is over, reminds and escalates; queues itself for what comes next. */
export async function runDue(db: Db, id: string): Promise<void> {
  await value(db, 'select ask.run_due($1)', [id])
}

interface Delivery {
  askId: string
  accountId: string
  recipient: string
  name: string | null
  kind: RecipientKind
  address: string
  sealedUrl: string
  remindedAt: string | null
  question: string
  askKind: string
  options: unknown
  schema: unknown
  context: unknown
  proposal: unknown
  urgency: string
  threadId: string
  expiresAt: string
}

/** What a recipient is to be sent; null if nobody needs the reply any more. */
export function readDelivery(db: Db, recipient: string): Promise<Delivery | null> {
  return value(db, 'select ask.read_delivery($1)', [recipient])
}

/** Without a reason it was sent. */
export async function noteDelivery(db: Db, recipient: string, reason: string | null): Promise<void> {
  await value(db, 'select ask.note_delivery($1, $2)', [recipient, reason])
}

export async function noteFailedAttempt(db: Db, recipient: string, reason: string): Promise<void> {
  await value(db, 'select ask.note_failed_attempt($1, $2)', [recipient, reason])
}

interface Mail {
  id: string
  accountId: string
  key: string
  recipient: string
  data: object
  sealed: string
}

/** Writes a mail into the outbox, once for its key, and queues the step that notes what became of it. */
export async function queueMail(db: Db, askedId: string, mail: Mail): Promise<void> {
  const { id, accountId, key, recipient, data, sealed } = mail
  const values = [id, accountId, 'ask.question', key, recipient, JSON.stringify(data), sealed]
  await value(db, 'select notification.queue($1, $2, $3, $4, $5, $6, $7)', values)
  await value(db, "select ask.queue_mail_check($1, $2, now() + interval '15 seconds')", [askedId, key])
}

export async function followMail(db: Db, askedId: string, key: string): Promise<void> {
  await value(db, 'select ask.follow_mail($1, $2)', [askedId, key])
}

/** Returns why the channel does not take it, or null. */
export function postToChannel(
  db: Db,
  recipient: string,
  message: { id: string; body: object; key: string },
): Promise<string | null> {
  const values = [recipient, message.id, JSON.stringify(message.body), message.key]
  return value(db, 'select ask.post_to_channel($1, $2, $3, $4)', values)
}

const BATCH = 100

/** Deletes a batch of asks that ended so long ago. Returns how many. */
export async function forgetAsks(db: Db, days: number): Promise<number> {
  return Number(await value(db, 'select ask.forget($1, $2)', [days, BATCH]))
}
