import { Type } from 'typebox'
import { step } from '#kit'
import type { VectorIndex, VectorSpace } from '../../../../ops/providers/vector-index/contract.ts'
import type * as callers from '../../../../sql/vector/steps.ts'
import type { StepDeps } from '../../step-deps.ts'

// Decision 0280: index large namespaces in another store.

type Deps = StepDeps<typeof callers> & {
  /** Undefined if the operator has chosen no index. */
  openIndex(): VectorIndex | undefined
}
type Unindexed = NonNullable<Awaited<ReturnType<Deps['sql']['readUnindexed']>>>

const BATCH = 500

export default step({
  summary: 'Bring the index of a namespace of vectors up to date, or remove it with the namespace.',
  payload: Type.Object({ batonId: Type.String({ format: 'uuid' }), namespace: Type.String() }),
  limitSeconds: 3_600,
  async run({ batonId, namespace }, deps: Deps) {
    const index = deps.openIndex()
    // The api that starts without an index forgets the spaces of the one before.
    if (!index) return
    try {
      await update(index, { batonId, namespace }, deps)
    } finally {
      await index.close()
    }
  },
})

/** Whatever was done by a run that died is done again, which changes nothing. */
async function update(
  index: VectorIndex,
  { batonId, namespace }: Pick<VectorSpace, 'batonId' | 'namespace'>,
  deps: Deps,
): Promise<void> {
  const { sql, signal } = deps
  for (;;) {
    signal.throwIfAborted()
    const unindexed = await sql.readUnindexed(batonId, namespace, BATCH)
    if (!unindexed) return
    const { metric, dimensions, vectors, changed, state } = unindexed
    const space = { batonId, namespace, metric, dimensions }
    if (state === 'dropping') {
      await index.drop(space, signal)
      await sql.forgetSpace(batonId, namespace)
      return
    }
    if (vectors.length === 0 && changed.length === 0) {
      if (state === 'building') await finish(index, space, deps)
      return
    }
    await write(index, space, unindexed, signal)
    await sql.noteIndexed(batonId, namespace, unindexed)
  }
}

async function finish(index: VectorIndex, space: VectorSpace, { sql, signal, log }: Deps): Promise<void> {
  const { batonId, namespace } = space
  await index.build(space, signal)
  await index.settle?.(space, signal)
  await sql.noteReady(batonId, namespace)
  log({ batonId }, 'a namespace of vectors was indexed')
}

/** Until it is ready, nothing is looked for in the index, so that nothing has to be found there. */
async function write(
  index: VectorIndex,
  space: VectorSpace,
  { vectors, changed, state }: Unindexed,
  signal: AbortSignal,
): Promise<void> {
  const kept = new Set(vectors.map(({ number }) => number))
  const gone = changed.filter(number => !kept.has(number))
  if (gone.length > 0) await index.remove(space, gone, signal)
  if (vectors.length === 0) return
  const read = ({ floats, ...vector }: (typeof vectors)[number]) => ({ ...vector, floats: readFloats(floats) })
  await index.put(space, vectors.map(read), signal)
  if (state === 'ready') await index.settle?.(space, signal)
}

function readFloats(base64: string): Float32Array {
  return new Float32Array(Uint8Array.from(Buffer.from(base64, 'base64')).buffer)
}
