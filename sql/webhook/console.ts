import { type Db, rows, value } from '../db.ts'

export interface AdminEndpoint extends Record<string, unknown> {
  id: string
  account_id: string
  url: string
  events: string[]
  is_active: boolean
  disabled_reason: string | null
  consecutive_failures: number
  paused_until: Date | null
  created_at: Date
  waiting: bigint
}

export interface AdminDelivery extends Record<string, unknown> {
  id: string
  event: string
  status: 'PENDING' | 'SUCCESS' | 'FAILED'
  attempts: number
  response_code: number | null
  error_message: string | null
  created_at: Date
}

/** Endpoints of accounts and of objects, those in trouble first. */
export function listEndpoints(db: Db, page: { first: number; offset: number }): Promise<AdminEndpoint[]> {
  const text = `select * from admin.webhook_endpoint where deleted_at is null
    order by consecutive_failures desc, created_at desc, id limit $1 offset $2`
  return rows(db, text, [page.first, page.offset])
}

export async function findEndpoint(db: Db, id: string): Promise<AdminEndpoint | undefined> {
  const [row] = await rows<AdminEndpoint>(db, 'select * from admin.webhook_endpoint where id = $1', [id])
  return row
}

/** The newest deliveries of an endpoint. */
export function listEndpointDeliveries(db: Db, id: string, limit: number): Promise<AdminDelivery[]> {
  const text = 'select * from admin.webhook_delivery where endpoint_id = $1 order by created_at desc, id limit $2'
  return rows(db, text, [id, limit])
}

export async function redeliverByOperator(db: Db, endpointId: string, deliveryId: string): Promise<void> {
  await value(db, 'select admin.redeliver($1, $2)', [endpointId, deliveryId])
}
