import { Problem } from '#kit'
import { findCandidates, type OpenedIndex, pickVectors } from '../../../sql/vector/search.ts'
import { createBlock, measureLength, type VectorBlock } from '../../../tasks/engines/vectors/block.ts'
import type { ApiContext } from '../../context.ts'

// Decision 0280: index large namespaces in another store.

/** Which vectors are compared. */
interface Comparison {
  namespace: string
  query: Float32Array
  /** How many of the nearest are wanted. */
  needed: number
  filter: { written: Record<string, unknown>; path: string } | undefined
}

/** The index is asked for more than is wanted, because some of what it finds may be gone. */
const SPARE = 10
/** An index that lacks more is not asked until its step has caught up. */
const MAX_UNINDEXED = 1_000
/** So few that pass a filter are read from the database and all compared. */
const FEW = 2_000

/**
 * The vectors to compare, as the index of the namespace names them: near ones, and all that were written since. Undefined if
 * there is no index, it does not answer, or too few of what it finds pass the filter; then all have to be compared.
 */
export async function pickNearest(
  { db, log, vectors: { index } }: ApiContext,
  opened: OpenedIndex,
  { namespace, query, needed, filter }: Comparison,
): Promise<VectorBlock[] | undefined> {
  const { batonId, metric, space } = opened
  if (!index || space?.store !== index.name || space.lacking.length >= MAX_UNINDEXED) return undefined
  const wanted = needed + SPARE
  const dimensions = opened.dimensions!
  try {
    const numbers = await index.findNearest(
      { batonId, namespace, metric, dimensions },
      { query, limit: wanted, ...(filter && { filter }) },
    )
    if (!numbers) return undefined
    // What the index had not when it was asked may be in it by now, and is then no longer among what it lacks.
    const candidates = [...numbers, ...space.lacking]
    const picked = await pickVectors(db, batonId, namespace, { numbers: candidates, filter: filter?.path })
    const isEnough = picked.numbers.length >= Math.min(needed, opened.count)
    return isEnough ? [fillBlock(picked, dimensions)] : undefined
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'PROVIDER_UNAVAILABLE') throw error
    log.warn({ err: error }, 'the vector index does not answer, so all vectors are compared')
    return undefined
  }
}

/** All that pass a filter, if they are few; then nothing has to be kept in memory to compare them all. */
export async function pickPassing(
  { db }: Pick<ApiContext, 'db'>,
  { batonId, dimensions }: OpenedIndex,
  namespace: string,
  filter: string,
): Promise<VectorBlock[] | undefined> {
  const { candidates } = await findCandidates(db, batonId, namespace, { filter, group: undefined })
  if (candidates.length > FEW) return undefined
  return [fillBlock(await pickVectors(db, batonId, namespace, { numbers: candidates, filter }), dimensions!)]
}

function fillBlock({ numbers, floats }: { numbers: Int32Array; floats: Uint8Array }, dimensions: number): VectorBlock {
  const block = createBlock(dimensions, numbers.length)
  block.ids.set(numbers)
  new Uint8Array(block.values.buffer).set(floats)
  for (let row = 0; row < numbers.length; row++)
    block.lengths[row] = measureLength(block.values, row * dimensions, (row + 1) * dimensions)
  block.count = numbers.length
  return block
}
