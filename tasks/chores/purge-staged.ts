import { chore } from '#kit'
import type { ChoreDeps } from './deps.ts'

/** No job lives longer than this, so its inputs are no longer needed. */
const MAX_AGE_MS = 26 * 3_600_000

export default chore<ChoreDeps>({
  summary: 'Remove staged inputs that no job cleaned up, for example after a crash.',
  every: '17 * * * *',
  async run({ store, now, log }) {
    let removed = 0
    for await (const { key, modifiedAt } of store.list('stage/')) {
      if (now().getTime() - modifiedAt.getTime() < MAX_AGE_MS) continue
      await store.remove(key)
      removed++
    }
    if (removed > 0) log({ removed }, 'left-over inputs removed')
  },
})
