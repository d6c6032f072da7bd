import { type Db, value } from '../db.ts'

/** Says where large namespaces are indexed; without a store, every search compares all vectors. */
export async function chooseStore(
  db: Db,
  store: { name: string; indexFrom: number; maxDimensions: number } | undefined,
): Promise<void> {
  const values = [store?.name ?? null, store?.indexFrom ?? null, store?.maxDimensions ?? null]
  await value(db, 'select vector.choose_store($1, $2, $3)', values)
}
