import { resolve } from 'node:path'
import type { Db } from '../../sql/db.ts'
import { type BackupRun, listBackups } from '../../sql/installation/backups.ts'
import { setQuiet } from '../../sql/installation/quiet.ts'
import { openSettings } from '../../sql/setting.ts'
import { createBackup, requireUsablePlace } from '../backup/create.ts'
import { BackupError } from '../backup/errors.ts'
import { listBackupIds, type Manifest, openBackup, readManifest } from '../backup/manifest.ts'
import { listOlderDamaged, openNewestWhole, openToRestore } from '../backup/newest.ts'
import { restoreBackup } from '../backup/restore.ts'
import { verifyBackup } from '../backup/verify.ts'
import { buildChildEnvironment, type Config, describeVariables, loadConfig, loadProviders } from '../config.ts'
import { startPostgres } from '../embedded/postgres.ts'
import { openLog } from '../log.ts'
import type { BackupPlace } from '../providers/backup/contract.ts'
import { openBackupPlace } from '../providers/backup/open.ts'
import { openStore } from '../providers/storage/open.ts'
import { formatFacts, formatTable, parseCount } from './print.ts'
import { type BareRuns, type CommandOutput, type Runs, UsageError } from './verb.ts'

const SHOWN_KEYS = 20

export const runs: Runs = {
  async create({ db, url, config, env }, _args, { to }) {
    const place = openPlace(config, to)
    const keep = (await openSettings(db)).get('backup.keep')
    const store = openStore(config)
    const request = { db, url, config, store, place, keep, variables: describeVariables(env) }
    if (to !== undefined) await requireUsablePlace(request)
    const made = await createBackup(request)
    const facts = { backup: made.id, in: place.address, ...made.counts, removed: made.removed }
    return { data: { ...facts, absentKeys: made.absent }, text: formatFacts(facts) + formatAbsent(made.absent) }
  },
  async list({ db, config }, _args, { limit }) {
    const found = await listBackups(db, parseCount('--limit', limit, 20))
    const { address } = config.backup
    if (address === undefined) return formatList(found, [], address)
    const place = openPlace(config, address)
    return formatList(found, await listKept(place, await listBackupIds(place)), address)
  },
  wake: ({ db }) => changeQuiet(db, false),
  quiet: ({ db }) => changeQuiet(db, true),
}

const RESTART = 'its apis and workers end now, for whoever supervises them to start them again'

async function changeQuiet(db: Db, isQuiet: boolean): Promise<CommandOutput> {
  const hasChanged = await setQuiet(db, isQuiet)
  const state = isQuiet ? 'quiet' : 'awake'
  return { data: { isQuiet, hasChanged }, text: hasChanged ? `${state}; ${RESTART}` : `it was ${state} already` }
}

/** They need no installation, because what they are for is that there is none. */
export const bareRuns: BareRuns = {
  async verify(env, [id], { from }) {
    const { backup } = loadProviders(env)
    const place = openPlace({ backup }, from)
    if (id !== undefined) {
      const { vault, manifest } = await openBackup(place, backup.key, id)
      return describeVerified(manifest, await verifyBackup(vault, manifest))
    }
    const { vault, manifest, newerDamaged } = await openNewestWhole(place, backup.key)
    const described = describeVerified(manifest, await verifyBackup(vault, manifest))
    const damaged = [...newerDamaged, ...(await listOlderDamaged(place, backup.key, manifest.id))]
    return { ...addDamaged(described, damaged), isFailure: newerDamaged.length > 0 }
  },
  async restore(env, [from, id], flags) {
    const { backup } = loadProviders(env)
    const isQuiet = flags.awake !== 'true'
    if (!isQuiet && flags.quiet === 'true') throw new UsageError('An installation is either quiet or awake.')
    if (flags['data-dir'] === undefined) throw new UsageError('--data-dir must name a new folder for the installation.')
    const dataDir = resolve(flags['data-dir'])
    const place = openPlace({ backup }, from)
    const { vault, manifest } = await openToRestore(place, backup.key, id)
    const verified = await restoreBackup(vault, manifest, {
      dataDir,
      isQuiet,
      databaseUrl: flags['database-url'],
      openStore: secret => openStore(loadConfig(buildChildEnvironment({ DATA_DIR: dataDir, SECRET: secret }, env))),
      openEmbedded: () => openEmbedded(dataDir),
    })
    return describeRestored(manifest, verified, dataDir, isQuiet)
  },
}

async function openEmbedded(dataDir: string) {
  const postgres = await startPostgres({ dataDir, log: openLog({ logLevel: 'silent', name: 'cli' }) })
  return { url: postgres.url, close: () => postgres.stop() }
}

function openPlace({ backup }: Pick<Config, 'backup'>, address = backup.address): BackupPlace {
  if (address === undefined) throw new UsageError('Name a folder or a bucket, or set BACKUP_TO.')
  return openBackupPlace(address, backup.s3)
}

interface KeptBackup {
  id: string
  state: 'whole' | 'damaged'
  snapshotAt?: string
  rows?: number
  objects?: number
}

/** Those whose manifests are there. That all else is as it was written is for `backup verify` to say. */
function listKept(place: BackupPlace, ids: readonly string[]): Promise<KeptBackup[]> {
  return Promise.all(
    ids.map(async id => {
      try {
        const { snapshotAt, tables, objects } = (await readManifest(place, id)).manifest
        const rows = tables.reduce((sum, table) => sum + table.rows, 0)
        return { id, state: 'whole' as const, snapshotAt, rows, objects: objects.count }
      } catch (error) {
        if (!(error instanceof BackupError)) throw error
        return { id, state: 'damaged' as const }
      }
    }),
  )
}

/** What has a manifest in the place of the backups is whole; of the others, the database knows how far they came, or where they are. */
function formatList(
  found: readonly BackupRun[],
  kept: readonly KeptBackup[],
  address: string | undefined,
): CommandOutput {
  const isThere = new Set(kept.map(({ id }) => id))
  const others = found.filter(run => !isThere.has(run.id) && (run.state !== 'succeeded' || run.address !== address))
  const lines = [
    ...kept.map(each => [each.id, each.state, each.snapshotAt, each.rows, each.objects, null]),
    ...others.map(({ id, state, started_at: at, counts, reason, address: other }) => [
      ...[id, state === 'succeeded' ? 'made' : state, at, counts?.rows, counts?.objects, reason ?? `in ${other}`],
    ]),
  ].sort(([one], [other]) => (String(one) < String(other) ? 1 : -1))
  return { data: { kept, others }, text: formatTable(['backup', 'state', 'of', 'rows', 'objects', 'remark'], lines) }
}

function describeVerified(manifest: Manifest, verified: Awaited<ReturnType<typeof verifyBackup>>): CommandOutput {
  const { absent, ...counts } = verified
  const facts = { backup: manifest.id, of: manifest.snapshotAt, ...counts, absent: absent.length }
  return { data: { ...facts, absentKeys: absent }, text: `${formatFacts(facts)}\nwhole${formatAbsent(absent)}` }
}

function describeRestored(
  manifest: Manifest,
  verified: Awaited<ReturnType<typeof verifyBackup>>,
  dataDir: string,
  isQuiet: boolean,
): CommandOutput {
  const { data, text } = describeVerified(manifest, verified)
  const state = isQuiet ? 'It is quiet until `cli backup wake`.' : 'It is awake.'
  const hint = `Restored. Start it with DATA_DIR=${dataDir}; what to set besides is in restored-settings.env there.`
  return { data: { ...(data as object), dataDir, isQuiet }, text: `${text}\n${hint} ${state}` }
}

/** Says which backups are damaged besides the one that was read. */
function addDamaged({ data, text }: CommandOutput, damaged: readonly string[]): CommandOutput {
  const lines = damaged.map(fault => `\n  ${fault}`).join('')
  return { data: { ...(data as object), damaged }, text: text + (lines && `\nDamaged, and passed over:${lines}`) }
}

function formatAbsent(keys: readonly string[]): string {
  if (keys.length === 0) return ''
  const shown = keys.slice(0, SHOWN_KEYS).map(key => `\n  ${key}`)
  return `\nNamed by the database, but not in the object store when they were to be copied:${shown.join('')}`
}
