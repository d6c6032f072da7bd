import { migrate } from '../../sql/migrate.ts'
import type { Verbs } from './verb.ts'

export const verbs: Verbs = {
  '': {
    args: [],
    summary: 'Bring the database to the shape this release wants.',
    async run({ url }) {
      const { applied } = await migrate(url)
      return { data: { applied }, text: applied.length > 0 ? `applied ${applied.join(', ')}` : 'nothing to apply' }
    },
  },
}
