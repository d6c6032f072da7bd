import { findPlace, type Metric, type VectorBlock } from './block.ts'
import { clamp, compareScored, dot, pickBest, type Scored, scoreAll } from './score.ts'

// Decision 0160: compare every vector in threads of the api.

export interface VectorSearch {
  blocks: readonly VectorBlock[]
  metric: Metric
  query: Float32Array
  /** Only these, in ascending order. */
  candidates?: Int32Array
  /** The group of each candidate; 0: it is in none. */
  groups?: BigInt64Array
  groupSize?: number
  except?: number
  /** Vectors whose texts have words of the query, the best first. */
  words?: { ids: Int32Array; alpha: number }
  mmrLambda?: number
  minScore?: number
  offset: number
  topK: number
}

/** How far down both rankings of a hybrid search are joined. */
export const HYBRID_DEPTH = 2_000
const RRF_K = 60
const MMR_POOL_FACTOR = 4
const MIN_MMR_POOL = 50

/** How many of the nearest decide what is found, where neither words nor groups do. */
export function countNeeded({ offset, topK, mmrLambda }: Pick<VectorSearch, 'offset' | 'topK' | 'mmrLambda'>): number {
  return mmrLambda === undefined ? offset + topK : Math.max(MIN_MMR_POOL, MMR_POOL_FACTOR * (offset + topK))
}

/** The vectors that are nearest to the query, the best first. */
export function searchVectors(search: VectorSearch): Scored[] {
  const { offset, topK, minScore = -Infinity, groups, mmrLambda, words } = search
  const scored = scoreAll(search)
  const end = offset + topK
  const needed = countNeeded(search)
  const ranked = words ? fuse(pickBest(scored, HYBRID_DEPTH), words) : pickBest(scored, groups ? scored.length : needed)
  const passing = ranked.filter(({ score }) => score >= minScore)
  const limited = groups ? limitGroups(passing, search, needed) : passing.slice(0, needed)
  return (mmrLambda === undefined ? limited : diversify(limited, search, mmrLambda, end)).slice(offset, end)
}

/** Joins two rankings by reciprocal ranks, weighed by alpha. First in both is 1. */
function fuse(dense: readonly Scored[], { ids, alpha }: { ids: Int32Array; alpha: number }): Scored[] {
  const scores = new Map<number, number>()
  const add = (id: number, rank: number, weight: number) =>
    scores.set(id, (scores.get(id) ?? 0) + (weight * (RRF_K + 1)) / (RRF_K + 1 + rank))
  dense.forEach(({ id }, rank) => {
    add(id, rank, alpha)
  })
  ids.forEach((id, rank) => {
    add(id, rank, 1 - alpha)
  })
  return Array.from(scores, ([id, score]) => ({ id, score }))
    .filter(({ score }) => score > 0)
    .sort(compareScored)
}

function limitGroups(ranked: readonly Scored[], search: VectorSearch, needed: number): Scored[] {
  const { groups, candidates, groupSize = 1 } = search
  const counts = new Map<bigint, number>()
  const limited: Scored[] = []
  for (const scored of ranked) {
    if (limited.length === needed) break
    const group = groups![findIndex(candidates!, scored.id)] ?? 0n
    const count = counts.get(group) ?? 0
    if (group === 0n || count >= groupSize) continue
    counts.set(group, count + 1)
    limited.push(scored)
  }
  return limited
}

function findIndex(ids: Int32Array, id: number): number {
  let [low, high] = [0, ids.length - 1]
  while (low <= high) {
    const middle = (low + high) >> 1
    if (ids[middle] === id) return middle
    if (ids[middle]! < id) low = middle + 1
    else high = middle - 1
  }
  return -1
}

/** Maximal marginal relevance: each next one is near to the query and far from those before it. */
function diversify(ranked: readonly Scored[], search: VectorSearch, lambda: number, count: number): Scored[] {
  const dimensions = search.query.length
  const pool = ranked.flatMap(scored => {
    const place = findPlace(search.blocks, scored.id)
    return place ? [{ ...scored, ...place, likeness: 0 }] : []
  })
  const picked: Scored[] = []
  while (pool.length > 0 && picked.length < count) {
    let best = 0
    const value = ({ score, likeness }: { score: number; likeness: number }) => lambda * score - (1 - lambda) * likeness
    for (let index = 1; index < pool.length; index++) {
      if (value(pool[index]!) > value(pool[best]!)) best = index
    }
    const [chosen] = pool.splice(best, 1)
    const { id, score, block, row } = chosen!
    const isFirst = picked.push({ id, score }) === 1
    for (const other of pool) {
      const product = dot(block.values, row * dimensions, other.block.values, other.row * dimensions, dimensions)
      const cosine = clamp(product / (block.lengths[row]! * other.block.lengths[other.row]!))
      other.likeness = isFirst ? cosine : Math.max(other.likeness, cosine)
    }
  }
  return picked
}
