import { type Db, value } from '../db.ts'

const BATCH = 100

/** Deletes a batch of channels that were over a day ago. Returns how many. */
export async function forgetChannels(db: Db): Promise<number> {
  return Number(await value(db, 'select channel.forget($1)', [BATCH]))
}
