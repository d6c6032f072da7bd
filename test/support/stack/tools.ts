import { TOOL_LANES } from '#kit'
import type { Db } from '../../../sql/db.ts'
import { listWorkers } from '../../../sql/worker.ts'

export async function areAllToolsTried(db: Db): Promise<boolean> {
  const known = new Set((await listWorkers(db)).flatMap(({ tools }) => tools.map(({ name }) => name)))
  return Object.keys(TOOL_LANES).every(tool => known.has(tool))
}
