import { Errors } from 'typebox/schema'
import { WEBHOOK_EVENTS } from '#kit'
import { type DbPool, rows } from '../../../sql/db.ts'
// Products declare their events.
import '../../../tasks/products/index.ts'

interface Sent {
  event: string
  timestamp: string
  sequence: number
  payload: Record<string, unknown>
}

/** What webhooks were given that is not as the published schema of its event says; there should be none. */
export async function findUndeclaredEvents(db: Pick<DbPool, 'query'>): Promise<string[]> {
  const sent = await rows<Sent>(
    db as DbPool,
    `select event, to_json(created_at) #>> '{}' as timestamp, sequence::int, payload from svc.webhook_delivery`,
  )
  return [...new Set(sent.flatMap(findFaults))]
}

function findFaults({ event, timestamp, sequence, payload }: Sent): string[] {
  const declared = WEBHOOK_EVENTS[event]?.payload as { properties: object } | undefined
  if (!declared) return [`${event} is not declared`]
  const body = { type: event, timestamp, sequence, ...payload }
  const unknown = Object.keys(body).filter(name => !(name in declared.properties))
  const [, faults] = Errors(declared, body)
  return [
    ...unknown.map(name => `${event} has ${name}, which is not declared`),
    ...faults.map(({ instancePath, message }) => `${event}${instancePath} ${message}`),
  ]
}
