import { type Db, value } from '../db.ts'
import type { NewIncident } from '../status/incidents.ts'

/** Opens an incident in the name of an operator. */
export async function openIncidentByOperator(db: Db, { title, impact, components, text }: NewIncident): Promise<void> {
  await value(db, 'select admin.open_incident($1, $2, $3, $4)', [title, impact, components, text])
}

export async function updateIncidentByOperator(
  db: Db,
  id: string,
  update: { state: string; text: string },
): Promise<void> {
  await value(db, 'select admin.update_incident($1, $2, $3)', [id, update.state, update.text])
}
