import { ID_PREFIX } from '#kit'
import type { Db } from '../../../sql/db.ts'
import { certifyErasure, type Erasure, readErasure } from '../../../sql/product/account-data.ts'
import { signJws } from '../../../tasks/products/witness/index.ts'
import type { Config } from '../../config.ts'
import { keySetUrl, openSigningKey } from '../witness/index.ts'

/**
 * What was erased of an account and what had to stay, signed by the key of witnesses when it is first asked for; undefined if
 * no erasure has ended.
 */
export async function certify(
  { db, config }: { db: Db; config: Pick<Config, 'secret' | 'publicUrl'> },
  accountId: string,
): Promise<object | undefined> {
  const erasure = await readErasure(db, accountId)
  if (!erasure) return undefined
  const { certificate, ...facts } = erasure
  const statement = describe(config.publicUrl, accountId, facts)
  if (certificate !== null) return { statement: decode(certificate), jws: certificate }
  const key = await openSigningKey(db, config.secret)
  const signed = signJws({ kid: key.kid, jku: keySetUrl(config) }, statement, key.privateKey)
  const jws = await certifyErasure(db, accountId, signed)
  return { statement: decode(jws), jws }
}

function describe(issuer: string, accountId: string, erasure: Omit<Erasure, 'certificate'>): object {
  return {
    typ: `${ID_PREFIX}.erasure/1`,
    issuer,
    account_id: accountId,
    joined_account_ids: erasure.accounts.filter(id => id !== accountId),
    began_at: new Date(erasure.beganAt).toISOString(),
    ended_at: new Date(erasure.endedAt).toISOString(),
    removed_records: erasure.removed,
    removed_files: erasure.files,
    kept_records: erasure.kept,
  }
}

function decode(jws: string): object {
  return JSON.parse(Buffer.from(jws.split('.')[1]!, 'base64url').toString()) as object
}
