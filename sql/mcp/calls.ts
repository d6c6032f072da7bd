import { type Db, value } from '../db.ts'

/** Tells all processes of the api what a client says of a call that one of them is performing. */
export async function tell(db: Db, message: object): Promise<void> {
  await value(db, 'select mcp.tell($1)', [JSON.stringify(message)])
}
