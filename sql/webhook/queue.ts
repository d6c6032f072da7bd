import { Batch } from '../connection.ts'
import { Connection, type Db, value } from '../db.ts'

/** A delivery that this worker has taken and must send. */
export interface TakenDelivery {
  id: string
  attempt: number
  endpointId: string
  /** By the clock of the database. */
  takenAtMs: number
  /** The endpoint has not yet shown that it answers promptly. */
  isTrial: boolean
  url: string
  /** Encrypted, as is the one before it during a rotation. */
  secret: string
  formerSecret: string | null
  event: string
  sequence: number
  createdAt: string
  payload: Record<string, unknown>
  /** The operation and the result of the job that a `job.completed` is about. */
  serviceKey: string | null
  result: unknown
  /** Where the trace of that job goes on. */
  traceparent: string | null
}

/** How an attempt ended. */
export interface AttemptEnd {
  id: string
  attempt: number
  ok: boolean
  code?: number
  /** The start of the receiver's answer. */
  body?: string
  error?: string
  ms: number
  /** The seconds that the receiver asked to wait. */
  retryAfter?: number
  /** The receiver does not want this delivery again, or none at all. */
  verdict?: 'abort' | 'disable'
}

interface TakeOptions {
  workerId: string
  slots: number
  /** How many of the slots endpoints may have that may hang. */
  trialSlots: number
  maxPerEndpoint: number
  /** After this time another worker takes over. */
  leaseSeconds: number
}

/** What there is to send, and after how many milliseconds there is more. */
export function takeDeliveries(
  db: Db,
  options: TakeOptions,
): Promise<{ deliveries: TakenDelivery[]; nextInMs: number | null }> {
  const { workerId, slots, trialSlots, maxPerEndpoint, leaseSeconds } = options
  return value(db, 'select webhook.take($1, $2, $3, $4, $5)', [
    workerId,
    slots,
    trialSlots,
    maxPerEndpoint,
    leaseSeconds,
  ])
}

/** Records the ends of attempts. Those of one moment share a round trip. */
interface DeliveryEnds {
  record(workerId: string, end: AttemptEnd): Promise<void>
  close(): Promise<void>
}

export function openDeliveryEnds(url: string): DeliveryEnds {
  const connection = new Connection(url, 'webhook ends')
  const batch = new Batch<never>(
    connection,
    { name: 'webhook_finish', text: 'select webhook.finish_batch($1, $2) as answers' },
    { limit: 256, retryForMs: 20_000 },
  )
  return {
    record: async (worker, { retryAfter, ...end }) => {
      await batch.add(JSON.stringify({ ...end, worker, retry_after: retryAfter }))
    },
    close: async () => {
      await batch.whenIdle()
      await connection.close()
    },
  }
}
