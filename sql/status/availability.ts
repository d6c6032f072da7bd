import { type Db, value } from '../db.ts'

/** What a probe saw in one minute: which components were there. */
export interface ProbedMinute {
  minute: string
  up: Readonly<Record<string, boolean>>
}

/** A day of a component: the minutes in which it was up, of those that were probed. */
export type AvailableDay = [day: string, upMinutes: number, probedMinutes: number]

export async function recordMinutes(db: Db, minutes: readonly ProbedMinute[]): Promise<void> {
  await value(db, 'select status.record_minutes($1)', [JSON.stringify(minutes)])
}

/** The days that have data, oldest first, by component. */
export function listAvailability(db: Db, days: number): Promise<Record<string, AvailableDay[]>> {
  return value(db, 'select status.list_availability($1)', [days])
}
