import { newId } from '#kit'
import { rows, value } from '../../../sql/db.ts'
import { registerWebhook } from '../../../sql/webhook/endpoints.ts'
import { type AttemptEnd, openDeliveryEnds, type TakenDelivery, takeDeliveries } from '../../../sql/webhook/queue.ts'
import { openTestLedger, type TestLedger } from './ledger.ts'

export const [WORKER, OTHER] = ['00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002']

/** Webhooks in a database of their own, without a worker. */
export interface WebhookQueue extends TestLedger {
  register(accountId: string, more?: { targetId?: string; events?: string[] }): Promise<string>
  emit(accountId: string | null, event: string, more?: { targetId?: string; count?: number }): Promise<number>
  take(more?: {
    workerId?: string
    slots?: number
    trialSlots?: number
    leaseSeconds?: number
  }): Promise<TakenDelivery[]>
  finish(taken: TakenDelivery, end?: Partial<AttemptEnd>, workerId?: string): Promise<void>
  set(table: 'endpoint' | 'delivery', change: string): Promise<void>
  read(id: string): Promise<Record<string, unknown>>
}

export async function openQueue(): Promise<WebhookQueue> {
  const ledger = await openTestLedger()
  const { db } = ledger
  const ends = openDeliveryEnds(ledger.url)
  return {
    ...ledger,
    register: async (accountId, { targetId, events = ['job.completed'] } = {}) => {
      const webhook = {
        id: newId(),
        accountId,
        targetId,
        url: 'https://a.example/',
        events,
        description: null,
        secret: 's',
      }
      return (await registerWebhook(db, webhook, 1_000)).id
    },
    emit: (accountId, event, { targetId, count = 1 } = {}) =>
      value(
        db,
        `select webhook.emit(array(select row($1, $2, $3, null, '{"x":1}')::svc.webhook_emission from generate_series(1, $4)))`,
        [accountId, targetId ?? null, event, count],
      ),
    take: async ({ workerId = WORKER, slots = 100, trialSlots = 100, leaseSeconds = 30 } = {}) =>
      (await takeDeliveries(db, { workerId, slots, trialSlots, leaseSeconds, maxPerEndpoint: 16 })).deliveries,
    finish: ({ id, attempt }, end = {}, workerId = WORKER) =>
      ends.record(workerId, { id, attempt, ok: true, code: 200, ms: 5, ...end }),
    set: async (table, change) => void (await rows(db, `update svc.webhook_${table} set ${change}`)),
    read: async id => (await rows(db, 'select * from svc.webhook_endpoint where id = $1', [id]))[0]!,
    [Symbol.asyncDispose]: async () => {
      await ends.close()
      await ledger[Symbol.asyncDispose]()
    },
  }
}
