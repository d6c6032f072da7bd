import { randomUUID } from 'node:crypto'
import type { VectorWork, VectorWorkAnswer } from '../../../../api/products/vector/index.ts'
import { createBlock, measureLength, type VectorBlock } from '../../../../tasks/engines/vectors/block.ts'
import type { Scored } from '../../../../tasks/engines/vectors/score.ts'
import { loadConfig } from '../../../config.ts'
import { Threads } from '../../../process/threads.ts'
import type { VectorIndex } from '../../../providers/vector-index/contract.ts'
import { openVectorIndex } from '../../../providers/vector-index/open.ts'
import type { Bench, Figure } from '../../figure.ts'
import { median } from '../../median.ts'
import { openPgvectorServer } from '../../pgvector-server.ts'
import { createRandom } from '../location/made-up-roads.ts'

const DIMENSIONS = 384
const CLUSTERS = 500
const NEAREST = 10
const MAX_VECTORS = 100_000
/** WebAssembly is several times as slow to build an index. */
const MAX_EMBEDDED_VECTORS = 20_000
const MIN_VECTORS = 4_000
const BATCH = 500
const QUERIES = 100

/** A namespace of made vectors: in the index, and in memory to compare all of them. */
interface Filled {
  index: VectorIndex
  space: Parameters<VectorIndex['put']>[0]
  blocks: VectorBlock[]
  createVector(): Float32Array
}

export default {
  id: 'P44',
  title:
    'vectors/query: the ten nearest of clustered vectors by pgvector, beside comparing all (VECTOR_INDEX and VECTOR_INDEX_URL name another server)',
  async measure(bench) {
    const { vectorIndex } = loadConfig()
    const url = vectorIndex?.url
    await using server = url ? undefined : await openPgvectorServer()
    const index = openVectorIndex(vectorIndex ?? { kind: 'pgvector', indexFrom: 1 }, {
      connectionString: url ?? server!.url,
    })!
    const most = url ? MAX_VECTORS : MAX_EMBEDDED_VECTORS
    const count = Math.max(MIN_VECTORS, Math.round(most * bench.profile.bulk))
    const started = performance.now()
    const filled = await fill(index, count)
    const buildSeconds = Math.round((performance.now() - started) / 1_000)
    const { recall, oursMs, exactMs } = await compare(filled, bench)
    await index.drop(filled.space, AbortSignal.timeout(60_000))
    await index.close()
    const facts = { vectors: count, dimensions: DIMENSIONS, queries: QUERIES, buildSeconds, store: index.name }
    const limitedBy = url ? 'the store' : 'pgvector in WebAssembly, in the process of the bench'
    return [
      {
        ...{ label: 'of the true ten nearest', unit: 'share', goal: { atLeast: 0.98 }, judgedBy: 'ours' },
        ...{ limitedBy: 'how far the index is searched', ours: recall, floor: 1, facts },
      },
      {
        ...{ label: 'numbers of the ten nearest, median', unit: 'ms', goal: { atMost: 100 }, judgedBy: 'ours' },
        ...{ limitedBy, ours: oursMs, floor: exactMs },
      },
    ]
  },
} satisfies Figure

async function fill(index: VectorIndex, count: number): Promise<Filled> {
  const createVector = createClusters()
  const space = { batonId: randomUUID(), namespace: '', metric: 'cosine' as const, dimensions: DIMENSIONS }
  const block = createBlock(DIMENSIONS, count)
  const signal = AbortSignal.timeout(3_600_000)
  for (let first = 1; first <= count; first += BATCH) {
    const numbers = Array.from({ length: Math.min(BATCH, count + 1 - first) }, (_, at) => first + at)
    const vectors = numbers.map(number => ({ number, floats: createVector(), metadata: {} }))
    for (const { number, floats } of vectors) addTo(block, number, floats)
    await index.put(space, vectors, signal)
  }
  await index.build(space, signal)
  return { index, space, blocks: [block], createVector }
}

function addTo(block: VectorBlock, number: number, floats: Float32Array): void {
  block.values.set(floats, block.count * DIMENSIONS)
  block.ids[block.count] = number
  block.lengths[block.count] = measureLength(floats)
  block.count += 1
}

/** Vectors near to centres of their own, some centres having many and some wide ones, as the embeddings of texts do. */
function createClusters(): () => Float32Array {
  const random = createRandom(11)
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  const centres = Array.from({ length: CLUSTERS }, () => Float32Array.from({ length: DIMENSIONS }, normal))
  return () => {
    const centre = centres[Math.floor(random() ** 2 * CLUSTERS)]!
    const width = 0.4 + 0.6 * random()
    return centre.map(value => value + width * normal())
  }
}

async function compare({ index, space, blocks, createVector }: Filled, { log }: Bench) {
  const threads = new Threads<VectorWork, VectorWorkAnswer>(
    new URL('../../../../api/products/vector/work-thread.ts', import.meta.url),
  )
  const [oursMs, exactMs]: number[][] = [[], []]
  let hits = 0
  for (let round = 0; round < QUERIES; round++) {
    const query = createVector()
    const started = performance.now()
    const found = (await index.findNearest(space, { query, limit: NEAREST }))!
    oursMs!.push(performance.now() - started)
    const search = { blocks, metric: space.metric, query, offset: 0, topK: NEAREST }
    const exactStarted = performance.now()
    const nearest = (await threads.perform({ search }, AbortSignal.timeout(20_000))) as Scored[]
    exactMs!.push(performance.now() - exactStarted)
    hits += nearest.filter(({ id }) => found.includes(id)).length
  }
  threads.close()
  log(`${hits} of ${QUERIES * NEAREST} found`)
  return { recall: hits / (QUERIES * NEAREST), oursMs: median(oursMs!), exactMs: median(exactMs!) }
}
