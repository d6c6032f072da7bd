import { migrate } from '../../sql/migrate.ts'
import type { Verbs } from './verb.ts'

export const verbs: Verbs = {
  '': {
    args: [],
    summary: 'Migrate the database to the schema of this release.',
    async run({ url }) {
      const { applied } = await migrate(url)
      return { data: { applied }, text: applied.length > 0 ? `applied ${applied.join(', ')}` : 'nothing to apply' }
    },
  },
}
