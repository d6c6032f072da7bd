import { type Db, rows, value } from '../db.ts'

/** A file of the folder of plugins, with the version of it that is in service. */
export interface PluginRow {
  file: string
  name: string | null
  version: string | null
  /** Why its newest content is refused. */
  fault: string | null
  fault_version: string | null
  author_id: string | null
  share_percent: number | null
  changed_at: Date
  /** As it was when the version was taken. */
  declaration: unknown
}

interface NewPlugin {
  file: string
  name: string
  version: string
  declaration: object
  /** The account or the wallet of its author, and how much of each charge is theirs. */
  author?: string
  percent?: number
}

/** The files of the folder of plugins as they were read last. */
export function listPlugins(db: Db): Promise<PluginRow[]> {
  return rows<PluginRow & Record<string, unknown>>(db, 'select * from plugin.list()')
}

/** Puts a version into service. Returns whether that changed anything. Throws PLUGIN_INVALID for a name or an author. */
export function putPlugin(db: Db, { file, ...plugin }: NewPlugin, code: Uint8Array): Promise<boolean> {
  return value(db, 'select plugin.put($1, $2, $3)', [file, JSON.stringify(plugin), code])
}

/** Notes why the content of a file is refused; what is in service stays. Returns whether that is new. */
export function refusePlugin(db: Db, refused: { file: string; version: string; fault: string }): Promise<boolean> {
  return value(db, 'select plugin.refuse($1, $2, $3)', [refused.file, refused.version, refused.fault])
}

/** Takes a file out of service: it is gone, or has a fault only now. Returns whether that changed anything. */
export function removePlugin(db: Db, file: string, fault?: string): Promise<boolean> {
  return value(db, 'select plugin.remove($1, $2)', [file, fault ?? null])
}

/** A version that is or was in service; undefined two days after its end. */
export async function readPluginVersion(
  db: Db,
  version: string,
): Promise<{ name: string; declaration: unknown; code: Buffer } | undefined> {
  const [row] = await rows<{ name: string; declaration: unknown; code: Buffer }>(
    db,
    'select * from plugin.read_version($1)',
    [version],
  )
  return row
}
