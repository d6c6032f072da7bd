import { chore } from '#kit'
import type { ChoreHands } from './shape.ts'

/** No job lives longer than this, so what it brought is of no use to anybody. */
const OLDEST_MS = 26 * 3_600_000

export default chore<ChoreHands>({
  summary: 'Remove inputs that a request brought and no job cleared away, as after a crash between the two.',
  every: '17 * * * *',
  async run({ store, now, say }) {
    let removed = 0
    for await (const { key, modifiedAt } of store.list('stage/')) {
      if (now().getTime() - modifiedAt.getTime() < OLDEST_MS) continue
      await store.remove(key)
      removed++
    }
    if (removed > 0) say({ removed }, 'left-over inputs removed')
  },
})
