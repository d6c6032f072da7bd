import { listDueBatons, listDueUploads, recordDueWitness } from '../../../sql/witness/index.ts'
import type { Logger } from '../../log.ts'
import type { ObjectStore } from '../../providers/storage/contract.ts'
import { takeUpload } from '../baton/index.ts'
import { type SigningContext, signContent } from './signing.ts'

interface SealingContext extends SigningContext {
  store: Pick<ObjectStore, 'read' | 'stat' | 'put' | 'remove'>
  log: Logger
}

/** Signs batons that have ended without the witness that was paid for. One that fails holds up no other. */
export async function sealDueBatons(context: SealingContext, limit: number) {
  let [sealed, failed] = [0, 0]
  for (const upload of await listDueUploads(context.db, limit)) {
    await takeUpload(context, upload).catch((error: unknown) => {
      context.log.error({ err: error, batonId: upload.batonId }, 'an upload could not be taken over')
      failed++
    })
  }
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
