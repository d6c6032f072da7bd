import { chore } from '#kit'
import type { ChoreHands } from './shape.ts'

const BATCH = 500

export default chore<ChoreHands>({
  summary: 'Remove uploads and outputs whose time is up: first the bytes, then the record.',
  every: '*/5 * * * *',
  async run({ objects, store, say }) {
    let removed = 0
    for (;;) {
      const keys = await objects.expired(BATCH)
      if (keys.length === 0) break
      for (const key of keys) await store.remove(key)
      await objects.forget(keys)
      removed += keys.length
    }
    if (removed > 0) say({ removed }, 'expired objects removed')
  },
})
