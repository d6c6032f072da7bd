import { chore } from '#kit'
import type { ChoreDeps } from './deps.ts'

/** By then the end of the job that stored it is committed, or never will be. */
const MIN_AGE_MS = 3_600_000
const BATCH = 500

export default chore<ChoreDeps>({
  summary: 'Remove outputs without a record, left by a worker that died with its machine.',
  every: '23 3 * * *',
  async run({ store, objects, now, log }) {
    let removed = 0
    let batch: string[] = []
    const removeBatch = async () => {
      for (const key of await objects.findUnrecorded(batch)) {
        await store.remove(key)
        removed += 1
      }
      batch = []
    }
    for await (const { key, modifiedAt } of store.list('scratch/')) {
      if (now().getTime() - modifiedAt.getTime() < MIN_AGE_MS) continue
      if (batch.push(key) === BATCH) await removeBatch()
    }
    if (batch.length > 0) await removeBatch()
    if (removed > 0) log({ removed }, 'outputs without a record removed')
  },
})
