import { chore } from '#kit'
import type { ChoreDeps } from './deps.ts'

const BATCH = 500

export default chore<ChoreDeps>({
  summary: 'Remove expired uploads and outputs: first the bytes, then the record.',
  every: '*/5 * * * *',
  async run({ objects, store, log }) {
    let removed = 0
    for (;;) {
      const keys = await objects.listExpired(BATCH)
      if (keys.length === 0) break
      for (const key of keys) await store.remove(key)
      await objects.forget(keys)
      removed += keys.length
    }
    if (removed > 0) log({ removed }, 'expired objects removed')
  },
})
