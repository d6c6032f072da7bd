import type { VectorWork, VectorWorkAnswer } from '../../../../api/products/vector/index.ts'
import { createBlock, measureLength, type VectorBlock } from '../../../../tasks/engines/vectors/block.ts'
import { Threads } from '../../../process/threads.ts'
import type { Figure } from '../../figure.ts'
import { median } from '../../median.ts'
import { createRandom } from '../location/made-up-roads.ts'

const VECTORS = 100_000
const DIMENSIONS = 384
const MIN_SEARCHES = 10
const MAX_SEARCHES = 100

export default {
  id: 'P43',
  title:
    'vectors/query: the exact ten nearest of 100,000 vectors of 384 dimensions, beside a bare loop over the same floats',
  async measure(bench) {
    const random = createRandom(7)
    const createVector = () => Float32Array.from({ length: DIMENSIONS }, () => random() - 0.5)
    const blocks = fillBlocks(createVector)
    const threads = new Threads<VectorWork, VectorWorkAnswer>(
      new URL('../../../../api/products/vector/work-thread.ts', import.meta.url),
    )
    const search = (query: Float32Array) =>
      threads.perform({ search: { blocks, metric: 'cosine', query, offset: 0, topK: 10 } }, AbortSignal.timeout(10_000))
    await search(createVector())
    const [ours, floor]: number[][] = [[], []]
    const count = Math.max(MIN_SEARCHES, Math.round(MAX_SEARCHES * bench.profile.bulk))
    for (let round = 0; round < count; round++) {
      const query = createVector()
      ours!.push(await time(() => search(query)))
      floor!.push(await time(() => findNearest(blocks, query)))
    }
    threads.close()
    const limitedBy = `${(VECTORS * DIMENSIONS * 4) / 2 ** 20} MiB of floats in one thread`
    const facts = { vectors: VECTORS, dimensions: DIMENSIONS, searches: count }
    const label = 'search in a thread of the api, median'
    const [oursMs, floorMs] = [median(ours!), median(floor!)]
    return [
      { label, unit: 'ms', goal: { atMost: 500 }, judgedBy: 'ours', limitedBy, ours: oursMs, floor: floorMs, facts },
    ]
  },
} satisfies Figure

function fillBlocks(createVector: () => Float32Array): VectorBlock[] {
  const blocks: VectorBlock[] = []
  for (let id = 1; id <= VECTORS; id++) {
    const last = blocks.at(-1)
    const block = last && last.count < last.ids.length ? last : createBlock(DIMENSIONS)
    if (block !== last) blocks.push(block)
    const vector = createVector()
    block.values.set(vector, block.count * DIMENSIONS)
    block.ids[block.count] = id
    block.lengths[block.count] = measureLength(vector)
    block.count += 1
  }
  return blocks
}

/** The least that an exact search does: every product, and the greatest of them. */
function findNearest(blocks: readonly VectorBlock[], query: Float32Array): number {
  let [best, bestScore] = [0, -Infinity]
  for (const { ids, values, lengths, count } of blocks) {
    for (let row = 0; row < count; row++) {
      let sum = 0
      for (let index = 0; index < DIMENSIONS; index++) sum += values[row * DIMENSIONS + index]! * query[index]!
      const score = sum / lengths[row]!
      if (score > bestScore) [best, bestScore] = [ids[row]!, score]
    }
  }
  return best
}

async function time(work: () => unknown): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}
