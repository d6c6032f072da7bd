import { statfs } from 'node:fs/promises'
import { Type } from 'typebox'
import { Problem } from '#kit'
import { type Db, rows } from '../../../sql/db.ts'
import { summariseBackups } from '../../../sql/installation/backups.ts'
import { readLaneDepths } from '../../../sql/lane.ts'
import type { Settings } from '../../../sql/setting.ts'
import { route } from '../../route.ts'

const CHECK_TIMEOUT_MS = 2_000
const HOUR_MS = 3_600_000
/** With less of it free, the disk of the data folder counts as full: whichever is less. */
const FULL_SHARE = 0.02
const FULL_BYTES = 64 * 2 ** 20

export default route({
  at: 'GET /health',
  summary: 'Check whether the service can accept work: database, queue, object store, disk and workers.',
  keywords: 'is it up, uptime, status page, liveness, ping',
  tool: false,
  auth: ['none'],
  reply: {
    status: 200,
    schema: Type.Object({
      status: Type.Union([Type.Literal('ok'), Type.Literal('degraded')]),
      quiet: Type.Optional(Type.Boolean()),
      checks: Type.Record(Type.String(), Type.Object({ ok: Type.Boolean() })),
    }),
  },
  errors: ['BUSY'],
  async handle({ reply }, { db, store, availability, config, settings }) {
    const [database, queue, objects, disk, backup] = await Promise.all([
      runCheck(async () => rows(db, 'select 1').then(() => undefined)),
      runCheck(async () => {
        const depths = await readLaneDepths(db)
        return { waiting: depths.reduce((sum, { waiting }) => sum + Number(waiting), 0) }
      }),
      runCheck(() => store.check().then(() => undefined)),
      runCheck(() => checkDisk(config.dataDir)),
      config.backup.address === undefined ? undefined : runCheck(() => checkBackups(db, settings)),
    ])
    const liveWorkers = availability.workers()
    const lanes = [...new Set(liveWorkers.flatMap(worker => Object.keys(worker.lanes)))].sort()
    const checks = {
      database,
      queue,
      store: objects,
      disk,
      workers: { ok: liveWorkers.length > 0, alive: liveWorkers.length, lanes },
      ...(backup && { backup }),
    }
    const isOk = Object.values(checks).every(({ ok }) => ok)
    const report = { status: isOk ? 'ok' : 'degraded', ...(config.isQuiet && { quiet: true }), checks }
    const canServe = database.ok && objects.ok
    reply
      .code(canServe ? 200 : 503)
      .type('application/json; charset=utf-8')
      .send(JSON.stringify(canServe ? report : new Problem('BUSY', report).toBody()))
    return undefined
  },
})

/** Files of calls are on it, and by default the objects. Calls that need none of it work while it is full. */
async function checkDisk(folder: string): Promise<object> {
  const { bsize, blocks, bavail } = await statfs(folder)
  const [sizeBytes, freeBytes] = [blocks * bsize, bavail * bsize]
  return { ok: freeBytes >= Math.min(sizeBytes * FULL_SHARE, FULL_BYTES), freeBytes, sizeBytes }
}

/** The last whole backup is not older than the time of two, and none has failed since. */
async function checkBackups(db: Db, settings: Settings): Promise<object> {
  const { lastAt, failedSince } = await summariseBackups(db)
  const everyHours = settings.get('backup.every_hours')
  const isLate = lastAt === null || Date.now() - Date.parse(lastAt) > 2 * everyHours * HOUR_MS
  return { ok: everyHours === 0 || (failedSince === 0 && !isLate), lastAt, failedSince }
}

/** Every check has a timeout, so that a database that hangs does not block the response. */
async function runCheck(check: () => Promise<object | undefined>): Promise<{ ok: boolean } & Record<string, unknown>> {
  const startedMs = performance.now()
  try {
    const timeout = new Promise<never>((_, reject) =>
      setTimeout(() => reject(new Error('no answer in time')), CHECK_TIMEOUT_MS).unref(),
    )
    const details = await Promise.race([check(), timeout])
    return { ok: true, ...(details ?? {}), ms: Math.round(performance.now() - startedMs) }
  } catch {
    return { ok: false, ms: Math.round(performance.now() - startedMs) }
  }
}
