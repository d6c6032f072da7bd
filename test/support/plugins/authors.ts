import type { DbPool } from '../../../sql/db.ts'
import { putPlugin } from '../../../sql/plugin/files.ts'

/** Puts an operation into service whose author gets a part of each charge. */
export async function openAuthor(db: DbPool, name: string, author: string, percent: number): Promise<void> {
  const plugin = { file: `${name}.ts`, name, version: `${name} of ${author}`, declaration: { name }, author, percent }
  await putPlugin(db, plugin, Buffer.from('code'))
}
