import { existsSync, readdirSync, statSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { isRestoring, RESTORE_MARK } from '../../sql/installation/restoring.ts'
import { BackupError } from './errors.ts'
import type { Manifest } from './manifest.ts'
import { connect, listTables, readQueueVersions } from './snapshot.ts'

/** Throws unless the folder is missing or empty. */
export function requireEmptyFolder(path: string): void {
  if (!existsSync(path)) return
  if (!statSync(path).isDirectory()) throw new BackupError(`The data folder ${path} is a file; name a folder.`)
  if (readdirSync(path).length > 0)
    throw new BackupError(`The data folder ${path} is not empty; name one that is empty or does not exist.`)
}

/** Throws unless the database has no tables, or only those of a restore that was broken off. */
export async function requireEmptyDatabase(url: string): Promise<void> {
  const client = await connectTo(url)
  try {
    if (await isRestoring(client)) return
    const { rows } = await client.query<{ name: string }>(
      `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname <> 'information_schema' and n.nspname !~ '^pg_'
        and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
      limit 1`,
    )
    if (rows.length > 0)
      throw new BackupError(`The database is not empty: it has ${rows[0]!.name}; name a new one to restore into.`)
  } finally {
    await client.end()
  }
}

async function connectTo(url: string): Promise<pg.Client> {
  try {
    return await connect(url)
  } catch (error) {
    throw new BackupError(`The database of --database-url cannot be used: ${(error as Error).message}.`)
  }
}

/** Marks a database as one that is being restored, with the schemas that it had before. */
export async function markRestoring(client: pg.Client, backup: string): Promise<void> {
  await client.query(`create table public.${RESTORE_MARK} (backup text not null, kept_schemas text[] not null)`)
  await client.query(`insert into public.${RESTORE_MARK} select $1, array_agg(nspname::text) from pg_namespace`, [
    backup,
  ])
}

/** Removes what a restore has made in a database that it had found empty. */
export async function removeRestored(client: pg.Client): Promise<void> {
  if (!(await isRestoring(client))) return
  const { rows } = await client.query<{ name: string }>(
    `select format('%I', n.nspname) as name from pg_namespace n, public.${RESTORE_MARK} m
    where n.nspname <> all (m.kept_schemas) and n.nspname !~ '^pg_'`,
  )
  await client.query('set client_min_messages = error')
  for (const { name } of rows) await client.query(`drop schema ${name} cascade`)
  await client.query(`drop table if exists public.coinop_migration; drop table public.${RESTORE_MARK}`)
}

/** The tables that were just made must be those of the backup, or rows of it could not be kept. */
export async function requireTables(client: pg.Client, manifest: Manifest): Promise<void> {
  const versions = await readQueueVersions(client)
  const isQueue = Object.entries(manifest.queues).every(([queue, version]) => versions[queue] === version)
  if (!isQueue)
    throw new BackupError(
      'The queues of the backup are of another version; restore it with the release that made it, and then upgrade.',
    )
  const found = new Map((await listTables(client)).map(({ name, columns }) => [name, new Set(columns)]))
  for (const { name, columns } of manifest.tables) {
    const missing = columns.filter(column => !found.get(name)?.has(column))
    if (missing.length > 0)
      throw new BackupError(`This release has no ${name} (${missing.join(', ')}), of which the backup has rows.`)
  }
}

export interface InstallationSecrets {
  secret: string
  settings: Record<string, string>
  secrets: string[]
}

/** Variables of the original alone, or that are known now. */
const NOT_CARRIED = new Set(['DATA_DIR', 'DATABASE_URL', 'SECRET', 'BACKUP_TO'])

/** Writes the secret, and for the operator what was set in the environment. */
export async function writeSecrets(dataDir: string, { secret, settings, secrets }: InstallationSecrets): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  await writeFile(join(dataDir, 'secret'), `${secret}\n`, { mode: 0o600, flag: 'wx', flush: true })
  const isCarried = (name: string) => !NOT_CARRIED.has(name)
  const missing = secrets.filter(isCarried)
  const lines = [
    '# What was set in the environment of the service that this backup is of.',
    ...Object.entries(settings).map(([name, value]) => `${isCarried(name) ? '' : '# '}${name}=${quote(value)}`),
    ...(missing.length > 0 ? ['# These were set too. They are secret and not in the backup:'] : []),
    ...missing.map(name => `# ${name}=`),
  ]
  await writeFile(join(dataDir, 'restored-settings.env'), `${lines.join('\n')}\n`, { mode: 0o600, flag: 'wx' })
}

/** As a shell reads it. */
function quote(value: string): string {
  return `'${value.replaceAll("'", `'\\''`)}'`
}
