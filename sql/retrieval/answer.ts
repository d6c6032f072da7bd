import { type PayingJob, serializeJob } from '../call.ts'
import { type Db, value } from '../db.ts'

/** Ends the paying job of an answer from texts that the caller has sent. */
export async function finishAnswer(db: Db, job: PayingJob, result: object): Promise<void> {
  await value(db, 'select job.settle($1, $2)', [serializeJob(job), JSON.stringify(result)])
}
