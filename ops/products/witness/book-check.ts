import { Problem } from '#kit'
import type { Db } from '../../../sql/db.ts'
import { listKeys, listWitnesses, type StoredKey, type StoredWitness } from '../../../sql/witness/index.ts'
import { isSignedBy, readKeyId } from '../../../tasks/products/witness/index.ts'
import type { Checked, ProductCheck } from '../../book-check/contract.ts'
import { LogHash } from './signing.ts'

const PAGE = 200

/** Every record was signed by a key of this service while that was in use, and a baton that is still there is as it says. */
const checkWitnesses: ProductCheck = async ({ db, store }) => {
  const keys = await listKeys(db)
  const counts = { witnesses: 0 }
  const faults: Checked['faults'] = []
  for (let after: string | null = null; ; ) {
    const page: StoredWitness[] = await listWitnesses(db, after, PAGE)
    if (page.length === 0) return { counts, faults }
    after = page.at(-1)!.batonId
    for (const witness of page) {
      counts.witnesses += 1
      const detail = isValid(witness, keys) ? await compareContent(db, store, witness) : 'its signature is not valid'
      if (detail) faults.push({ rule: 'every witness verifies', subject: witness.batonId, detail })
    }
  }
}

export default checkWitnesses

function isValid({ batonId, record }: StoredWitness, keys: readonly StoredKey[]): boolean {
  const key = keys.find(({ kid }) => kid === readKeyId(record))
  if (!key || !isSignedBy(record, key) || record.statement.baton_id !== batonId) return false
  return key.retiredAt === null || Date.parse(record.statement.witnessed_at) <= Date.parse(key.retiredAt)
}

async function compareContent(
  db: Db,
  store: Parameters<ProductCheck>[0]['store'],
  { batonId, record, hasContent }: StoredWitness,
): Promise<string | undefined> {
  if (!hasContent) return undefined
  const { sha256, size } = record.statement
  try {
    const found = await new LogHash().digest({ db, store }, batonId, BigInt(size))
    return found === sha256 ? undefined : 'its content is not what was signed'
  } catch (error) {
    if (error instanceof Problem && error.code === 'NOT_FOUND') return 'its content is missing'
    throw error
  }
}
