import { type Db, value } from './db.ts'

export interface RateCount {
  bucket: string
  window_start: number
  used: number
}

/** Adds the counts of this process and returns those of all processes together. */
export async function syncRates(db: Db, counts: RateCount[]): Promise<RateCount[]> {
  const totals = await value<[string, number, number][]>(db, 'select rate.sync($1)', [JSON.stringify(counts)])
  return totals.map(([bucket, window_start, used]) => ({ bucket, window_start, used }))
}

export async function forgetRates(db: Db, beforeWindow: number): Promise<void> {
  await value(db, 'select rate.forget($1)', [beforeWindow])
}
