import { createHash, type Hash } from 'node:crypto'
import { listPieces, type Piece } from '../../../sql/baton/index.ts'
import type { Db } from '../../../sql/db.ts'
import type { PreparedWitness } from '../../../sql/witness/index.ts'
import { buildStatement, signStatement, type WitnessRecord } from '../../../tasks/products/witness/index.ts'
import type { Config } from '../../config.ts'
import type { ObjectStore } from '../../providers/storage/contract.ts'
import { openSigningKey } from './keys.ts'

export interface SigningContext {
  db: Db
  config: Pick<Config, 'secret' | 'publicUrl'>
  store: Pick<ObjectStore, 'read'>
}

export function keySetUrl({ publicUrl }: Pick<Config, 'publicUrl'>): string {
  return `${publicUrl}/.well-known/jwks.json`
}

/** Hashes a log once, however often it grows meanwhile. */
export class LogHash {
  readonly #hash: Hash = createHash('sha256')
  #seq = 0n
  #bytes = 0n

  /** The hexadecimal SHA-256 of the first `size` bytes, which are never fewer than before. */
  async digest({ db, store }: Pick<SigningContext, 'db' | 'store'>, batonId: string, size: bigint): Promise<string> {
    while (this.#bytes < size) {
      const pieces = await listPieces(db, batonId, this.#seq, this.#bytes, size - 1n)
      if (pieces.length === 0) break
      for (const piece of pieces) await this.#add(store, piece)
    }
    return this.#hash.copy().digest('hex')
  }

  async #add(
    store: SigningContext['store'],
    { seq, size_bytes: size, content, object_key: key }: Piece,
  ): Promise<void> {
    if (content) this.#hash.update(content)
    else for await (const chunk of await store.read(key!)) this.#hash.update(chunk as Buffer)
    this.#seq = seq
    this.#bytes += size
  }
}

/** Signs what a baton holds. The record counts once it is stored. */
export async function signContent(
  context: SigningContext,
  prepared: PreparedWitness,
  log: LogHash = new LogHash(),
): Promise<WitnessRecord> {
  const { batonId, size, now } = prepared
  const key = await openSigningKey(context.db, context.config.secret)
  const sha256 = prepared.sha256 ?? (await log.digest(context, batonId, BigInt(size)))
  return signStatement(buildStatement({ ...prepared, sha256 }, new Date(now)), key, keySetUrl(context.config))
}
