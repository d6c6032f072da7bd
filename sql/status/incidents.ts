import { type Db, value } from '../db.ts'

export const INCIDENT_IMPACTS = ['degraded', 'outage', 'maintenance'] as const
export const INCIDENT_STATES = ['investigating', 'identified', 'monitoring', 'resolved'] as const

/** Trouble that customers are told of. */
export interface Incident {
  id: string
  title: string
  impact: (typeof INCIDENT_IMPACTS)[number]
  /** An empty list is the whole service. */
  components: string[]
  openedAt: string
  updatedAt: string
  resolvedAt: string | null
  /** The newest first. */
  updates: { state: (typeof INCIDENT_STATES)[number]; text: string; at: string }[]
}

export interface NewIncident {
  title: string
  impact: string
  components: readonly string[]
  text: string
}

/** Open incidents and those of some days, the newest first. */
export function listIncidents(db: Db, days: number, limit: number): Promise<Incident[]> {
  return value(db, 'select status.list_incidents($1, $2)', [days, limit])
}

/** Throws INVALID_PARAM, as the next one does. */
export function openIncident(db: Db, { title, impact, components, text }: NewIncident): Promise<string> {
  return value(db, 'select status.open_incident($1, $2, $3, $4)', [title, impact, components, text])
}

/** Throws NOT_FOUND if there is none, or it is resolved. */
export async function updateIncident(db: Db, id: string, update: { state: string; text: string }): Promise<void> {
  await value(db, 'select status.update_incident($1, $2, $3)', [id, update.state, update.text])
}
