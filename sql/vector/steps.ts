import { type Db, value } from '../db.ts'

/** What the index of a namespace lacks. */
export interface Unindexed {
  state: 'building' | 'ready' | 'dropping'
  metric: 'cosine' | 'dot' | 'l2'
  dimensions: number
  /** How far the index goes once these vectors are in it. */
  indexedTo: number
  /** Vectors that were removed, or whose metadata have changed; `change` is the last of these changes. */
  changed: number[]
  change: string | null
  /** Base64 floats. */
  vectors: { number: number; metadata: Record<string, unknown>; floats: string }[]
}

/** Null if the namespace has no index. */
export function readUnindexed(db: Db, batonId: string, namespace: string, limit: number): Promise<Unindexed | null> {
  return value(db, 'select vector.read_unindexed($1, $2, $3)', [batonId, namespace, limit])
}

export async function noteIndexed(
  db: Db,
  batonId: string,
  namespace: string,
  { indexedTo, changed, change }: Unindexed,
): Promise<void> {
  const values = [batonId, namespace, indexedTo, changed, change]
  await value(db, 'select vector.note_indexed($1, $2, $3, $4, $5)', values)
}

export async function noteReady(db: Db, batonId: string, namespace: string): Promise<void> {
  await value(db, 'select vector.note_ready($1, $2)', [batonId, namespace])
}

export async function forgetSpace(db: Db, batonId: string, namespace: string): Promise<void> {
  await value(db, 'select vector.forget_space($1, $2)', [batonId, namespace])
}
