import { isUuid, Problem } from '#kit'
import { useAfterUpload } from '../../../ops/products/baton/index.ts'
import { LogHash, signContent } from '../../../ops/products/witness/signing.ts'
import { readTerms, type Visitor } from '../../../sql/baton/index.ts'
import { prepareWitness, recordWitness } from '../../../sql/witness/records.ts'
import type { ApiContext } from '../../context.ts'
import type { Caller } from '../../intake/identity/caller.ts'
import type { RouteJob } from '../../route.ts'
import { isToken } from '../baton/index.ts'
import { showRecord } from './proof.ts'

/** A log that is written to without a pause cannot be witnessed; of one with pauses, each round hashes only what is new. */
const MAX_ROUNDS = 10

/** None if the witness was paid for with the baton, else one. A repeat of a call that was made gets its answer for nothing. */
export async function countWitnessUnits({ db }: ApiContext, caller: Caller | undefined, id: string): Promise<number> {
  if (isToken(id)) throw new Problem('FORBIDDEN', { reason: 'Only the owner can have a baton witnessed.' })
  const terms = isUuid(id) ? await readTerms(db, id) : null
  if (!terms) throw new Problem('NOT_FOUND')
  // Says what the caller may do with the baton before anything is held.
  if (caller && caller.accountId !== terms.accountId) {
    await prepareWitness(db, { baton: id, account: caller.accountId, ip: '' })
  }
  return terms.isWitnessFree || !terms.isActive ? 0 : 1
}

/** Signs what the baton holds, and freezes it in the transaction that charges. */
export async function witnessContent(context: ApiContext, by: Visitor, job: RouteJob): Promise<object> {
  const log = new LogHash()
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const prepared = await useAfterUpload(context, by, visitor => prepareWitness(context.db, visitor))
    const record = await signContent(context, prepared, log)
    const proof = showRecord(context, record)
    if (await recordWitness(context.db, job, by, prepared.version, record, proof)) return proof
  }
  throw new Problem('VERSION_CONFLICT', { reason: 'The baton is being written to.' })
}
