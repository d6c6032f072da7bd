import { migrate } from '../../sql/migrate.ts'
import type { Runs } from './verb.ts'

export const runs: Runs = {
  async ''({ url }) {
    const { applied } = await migrate(url)
    return { data: { applied }, text: applied.length > 0 ? `applied ${applied.join(', ')}` : 'nothing to apply' }
  },
}
