import { type Db, value } from '../db.ts'

type DeliveryStatus = 'PENDING' | 'SUCCESS' | 'FAILED'

/** A webhook endpoint as its owner sees it. */
export interface WebhookRecord {
  id: string
  url: string
  events: string[]
  description: string | null
  active: boolean
  consecutiveFailures: number
  /** Why it was disabled, if its failures were the reason. */
  disabledReason: string | null
  /** Until then the former secret signs as well. */
  formerSecretUntil: string | null
  createdAt: string
  updatedAt: string
}

export interface DeliveryRecord {
  id: string
  webhookId: string
  event: string
  subjectId: string | null
  sequence: number
  status: DeliveryStatus
  attempts: number
  responseCode: number | null
  errorMessage: string | null
  nextAttemptAt: string | null
  createdAt: string
  finishedAt: string | null
}

type FullDeliveryRecord = DeliveryRecord & { responseBody: string | null; payload: unknown }

interface NewWebhook {
  id: string
  accountId: string
  /** The object whose events go there, instead of those of the account. */
  targetId?: string
  url: string
  events: readonly string[]
  description: string | null
  /** Encrypted. */
  secret: string
}

/** Throws TOO_MANY_WEBHOOKS if there are `max` already. */
export function registerWebhook(db: Db, webhook: NewWebhook, max: number): Promise<WebhookRecord> {
  const { id, accountId, targetId, url, events, description, secret } = webhook
  return value(db, 'select webhook.register($1, $2, $3, $4, $5, $6, $7, $8)', [
    id,
    accountId,
    targetId ?? null,
    url,
    events,
    description,
    secret,
    max,
  ])
}

export function listWebhooks(db: Db, accountId: string): Promise<WebhookRecord[]> {
  return value(db, 'select webhook.list($1)', [accountId])
}

export async function readWebhook(db: Db, accountId: string, id: string): Promise<WebhookRecord | undefined> {
  return (await value<WebhookRecord | null>(db, 'select webhook.read($1, $2)', [accountId, id])) ?? undefined
}

type WebhookChange = Partial<Pick<WebhookRecord, 'url' | 'events' | 'description' | 'active'>>

/** Changes what `change` names. Throws NOT_FOUND, as the functions below do. */
export function updateWebhook(db: Db, accountId: string, id: string, change: WebhookChange): Promise<WebhookRecord> {
  return value(db, 'select webhook.update($1, $2, $3)', [accountId, id, JSON.stringify(change)])
}

/** Deletes a webhook; its deliveries stay until they are too old. */
export async function deleteWebhook(db: Db, accountId: string, id: string): Promise<void> {
  await value(db, 'select webhook.delete($1, $2)', [accountId, id])
}

/** Sets a new secret, encrypted; the former one signs as well for `overlapSeconds`. */
export function rotateWebhookSecret(
  db: Db,
  accountId: string,
  id: string,
  rotation: { secret: string; overlapSeconds: number },
): Promise<WebhookRecord> {
  return value(db, 'select webhook.rotate($1, $2, $3, $4)', [accountId, id, rotation.secret, rotation.overlapSeconds])
}

/** Undefined if the account never had this webhook. */
export async function listDeliveries(
  db: Db,
  query: { accountId: string; id: string; status?: DeliveryStatus; limit: number; offset: number },
): Promise<DeliveryRecord[] | undefined> {
  const { accountId, id, status, limit, offset } = query
  const found = await value<DeliveryRecord[] | null>(db, 'select webhook.list_deliveries($1, $2, $3, $4, $5)', [
    accountId,
    id,
    status ?? null,
    limit,
    offset,
  ])
  return found ?? undefined
}

export async function readDelivery(
  db: Db,
  accountId: string,
  id: string,
  deliveryId: string,
): Promise<FullDeliveryRecord | undefined> {
  const text = 'select webhook.read_delivery($1, $2, $3)'
  return (await value<FullDeliveryRecord | null>(db, text, [accountId, id, deliveryId])) ?? undefined
}

/** Throws WEBHOOK_DISABLED for one that is not active. */
export function sendTestEvent(db: Db, accountId: string, id: string): Promise<DeliveryRecord> {
  return value(db, 'select webhook.send_test($1, $2)', [accountId, id])
}

/** Sends one delivery again, under the same id. Throws WEBHOOK_DISABLED. */
export function redeliver(db: Db, accountId: string, id: string, deliveryId: string): Promise<DeliveryRecord> {
  return value(db, 'select webhook.redeliver($1, $2, $3)', [accountId, id, deliveryId])
}

/** Sends the oldest failed deliveries since a time again and returns how many. Throws WEBHOOK_DISABLED. */
export function redeliverSince(
  db: Db,
  accountId: string,
  id: string,
  query: { since: Date; limit: number },
): Promise<number> {
  return value(db, 'select webhook.redeliver_since($1, $2, $3, $4)', [accountId, id, query.since, query.limit])
}

export function forgetDeliveries(db: Db, days: number): Promise<number> {
  return value(db, 'select webhook.forget(make_interval(days => $1))', [days])
}
