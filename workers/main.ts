import { hostname } from 'node:os'
import { join } from 'node:path'
import { Logger as QueueLogger } from 'graphile-worker'
import { newId } from '#kit'
import { openFacilitator } from '../ops/chain/facilitator.ts'
import { loadConfig } from '../ops/config.ts'
import { openLog } from '../ops/log.ts'
import { openMetricsDoor } from '../ops/metrics-door.ts'
import { openStore } from '../ops/storage/index.ts'
import { openOutbound, openPools } from '../pools/index.ts'
import { openDb } from '../sql/db.ts'
import { openJobs } from '../sql/job.ts'
import { listen } from '../sql/line.ts'
import { openSettings } from '../sql/setting.ts'
import { buryWorkers, joinWorkers, leaveWorkers, listWorkers, type ToolReport } from '../sql/worker.ts'
import { loadOperations } from '../tasks/index.ts'
import { loadChores } from './chores.ts'
import type { WorkFloor } from './floor.ts'
import { type Pulse, startHeartbeat } from './heartbeat.ts'
import { Lanes, sizeOf } from './lanes.ts'
import { openRunMeters } from './meters.ts'
import { LetGo } from './perform.ts'
import { Tidy } from './tidy.ts'

const STOP_WITHIN_MS = 9_000

const config = loadConfig()
const log = openLog({ logLevel: config.logLevel, name: 'worker' })
if (!config.databaseUrl) {
  log.fatal('a worker needs DATABASE_URL; npm start gives it the embedded Postgres')
  process.exit(1)
}
const url = config.databaseUrl
const workerId = newId()
const db = openDb(url, {
  name: 'worker',
  size: 6,
  onError: error => log.warn({ err: error }, 'database connection lost'),
})
const settings = await openSettings(db)
const operations = new Map((await loadOperations()).map(operation => [operation.name, operation]))
const lanes = Object.fromEntries(config.lanes.map(lane => [lane, sizeOf({ settings }, lane)]))
const pools = await openPools({
  workRoot: join(config.dataDir, 'work'),
  lanes: { thread: 0, native: 0, program: 0, remote: 0, ...lanes },
  sandbox: config.sandbox,
  production: config.production,
  outbound: config.outbound === 'public' ? openOutbound() : undefined,
  log,
})
const floor: WorkFloor = {
  workerId,
  config,
  log,
  db,
  jobs: openJobs(url, 'worker'),
  settings,
  store: openStore(config),
  pools,
  operations,
  meters: openRunMeters(pools),
  facilitator: await openFacilitator(config, log),
  running: new Map(),
  tidy: new Tidy(url, log),
  queueLog: queueLogOf(),
}
await loadChores()
await buryTheDead()

const tools: ToolReport[] = await pools.tools()
const crew = new Lanes(floor, poolIds => void report(poolIds))
await report([])
await crew.resize()
await report(crew.poolIds())
const heartbeat = startHeartbeat({ url, workerId, onPulse })
const ears = listen(
  url,
  'worker',
  {
    job_cancel: id => floor.running.get(id)?.abort(),
    changed: what => void (what === 'setting' && settings.refresh().then(() => crew.resize())),
  },
  () => void settings.refresh().then(() => crew.resize()),
)
const metrics = openMetricsDoor(
  { host: config.adminHost, port: config.workerAdminPort },
  async () => ({ contentType: floor.meters.registry.contentType, text: await floor.meters.registry.metrics() }),
  error => log.warn({ err: error }, 'metrics are not served'),
)
log.info(
  { workerId, lanes: crew.sizes(), toolsMissing: tools.filter(({ ok }) => !ok).map(({ name }) => name) },
  'worker ready',
)
process.send?.({ ready: true })

let isStopping = false
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal))
process.on('disconnect', () => void stop('disconnect'))

/** Finishes what runs, hands back what does not end in time, and leaves nothing behind. */
async function stop(reason: string): Promise<void> {
  if (isStopping) return
  isStopping = true
  log.info({ reason, running: floor.running.size }, 'worker stops')
  setTimeout(() => process.exit(0), STOP_WITHIN_MS).unref()
  setTimeout(handBack, STOP_WITHIN_MS - 3_000).unref()
  await crew.stop()
  await floor.jobs.close()
  await pools.close()
  await heartbeat.stop()
  await leaveWorkers(db, workerId)
  await floor.facilitator?.close?.()
  await Promise.allSettled([ears.close(), metrics.close(), floor.tidy.close(), db.end()])
  process.exit(0)
}

function handBack(): void {
  for (const job of floor.running.values()) job.abort(new LetGo('stopped here, wanted elsewhere'))
}

function onPulse(pulse: Pulse): void {
  if (pulse.kind === 'lost') {
    log.error(
      { running: floor.running.size },
      'no heartbeat has come through: others take over, so what runs is stopped',
    )
    handBack()
  } else if (!pulse.isKnown && !isStopping) {
    log.warn('taken for dead meanwhile; joining again')
    handBack()
    void report(crew.poolIds())
  }
  if (pulse.kind === 'beat' && pulse.rescued.length > 0)
    log.warn({ rescued: pulse.rescued }, 'took over from dead workers')
  if (pulse.kind === 'beat' && pulse.expired > 0) log.warn({ expired: pulse.expired }, 'jobs past their deadline')
}

async function report(poolIds: string[]): Promise<void> {
  const worker = { id: workerId, host: hostname(), pid: process.pid, pools: poolIds, lanes: crew.sizes(), tools }
  await joinWorkers(db, worker).catch(error => log.warn({ err: error }, 'not reported'))
}

/** A worker of this machine whose process is gone need not be waited for. */
async function buryTheDead(): Promise<void> {
  const dead = (await listWorkers(db)).filter(({ host, pid }) => host === hostname() && !isAlive(pid))
  if (dead.length === 0) return
  log.warn({ dead: dead.map(({ id }) => id) }, 'taking over from workers that died here')
  await buryWorkers(
    db,
    dead.map(({ id }) => id),
  )
}

function isAlive(pid: number): boolean {
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function queueLogOf(): QueueLogger {
  return new QueueLogger(scope => (level, message) => {
    const text = { queue: scope.workerId ?? scope.label, text: message }
    // Ten connections do for a lane: it fetches and completes many jobs at a time.
    if (message.includes('maxPoolSize')) return
    if (level === 'error') log.error(text, 'queue')
    else if (level === 'warning') log.warn(text, 'queue')
    else log.debug(text, 'queue')
  })
}
