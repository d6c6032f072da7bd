import { listDueBatons, recordDueWitness } from '../../sql/witness/records.ts'
import type { Logger } from '../log.ts'
import { type SigningContext, signContent } from './signing.ts'

/** Signs batons that have ended without the witness that was paid for. One that fails holds up no other. */
export async function sealDueBatons(context: SigningContext & { log: Logger }, limit: number) {
  let [sealed, failed] = [0, 0]
  for (const prepared of await listDueBatons(context.db, limit)) {
    try {
      if (await recordDueWitness(context.db, prepared, await signContent(context, prepared))) sealed++
    } catch (error) {
      context.log.error({ err: error, batonId: prepared.batonId }, 'a baton could not be sealed')
      failed++
    }
  }
  return { sealed, failed }
}
