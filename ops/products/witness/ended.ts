import { prepareEnded, recordEnded } from '../../../sql/witness/index.ts'
import { LogHash, type SigningContext, signContent } from './signing.ts'

/** Its owner may be writing to it. */
const MAX_ROUNDS = 10

/** Witnesses the ledger of something that has ended, once. */
export async function witnessEnded(context: SigningContext, batonId: string): Promise<void> {
  const log = new LogHash()
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const prepared = await prepareEnded(context.db, batonId)
    if (!prepared || (await recordEnded(context.db, prepared, await signContent(context, prepared, log)))) return
  }
  throw new Error(`the ledger ${batonId} is being written to`)
}
