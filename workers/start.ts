import { hostname } from 'node:os'
import { join } from 'node:path'
import { isLane, loadModules, newId } from '#kit'
import { createRefresh } from '../ops/back-off.ts'
import { loadConfig, loadQuietConfig } from '../ops/config.ts'
import { openLog } from '../ops/log.ts'
import { openProcessMeters } from '../ops/metrics/process.ts'
import { openMetricsServer } from '../ops/metrics/server.ts'
import { compactHeap } from '../ops/process/compact-heap.ts'
import { openFacilitator } from '../ops/providers/chain/open.ts'
import { openOutsideFiles } from '../ops/providers/lists/open.ts'
import { openMailer } from '../ops/providers/mail/open.ts'
import { openStore } from '../ops/providers/storage/open.ts'
import { openTracing } from '../ops/tracing/open.ts'
import { createDownload } from '../pools/fetch/download.ts'
import { createOpenFile } from '../pools/fetch/open-file.ts'
import type { ToolReport } from '../pools/index.ts'
import { openDb, openListener } from '../sql/db.ts'
import { openClock } from '../sql/hosts/clock.ts'
import { hasQuietChanged, readInstallation } from '../sql/installation/quiet.ts'
import { openJobs } from '../sql/job.ts'
import { openSenderQueue } from '../sql/sender.ts'
import { openSettings } from '../sql/setting.ts'
import { isDraining, joinWorkers, leaveWorkers, listWorkers, reapWorkers } from '../sql/worker.ts'
import { listOperations, loadOperations } from '../tasks/index.ts'
import { AttemptReleased } from './attempts.ts'
import { loadChores } from './chores.ts'
import type { WorkerContext } from './context.ts'
import { type HeartbeatEvent, startHeartbeat } from './heartbeat/start.ts'
import { Lanes } from './lanes.ts'
import { startSweeping } from './leftovers.ts'
import { openRunMeters } from './meters.ts'
import { OutputNotes } from './outputs/notes.ts'
import { watchStore } from './outputs/watch-store.ts'
import { AddedOperations } from './plugins/added.ts'
import { watchPlugins } from './plugins/watch.ts'
import { startProbing } from './probe.ts'
import { loadProducts, startProducts } from './product-parts.ts'
import { openQueueLog } from './queue/log.ts'
import { QueueVacuum } from './queue/vacuum.ts'
import { StepRunner } from './steps/runner.ts'
import { findSteps } from './steps/tasks.ts'
import { openWorkerPools } from './worker-pools.ts'

/** Of what is notified as changed, what changes the sizes of lanes. */
const WATCHED = new Set(['setting', 'draining', 'installation'])
const STOP_TIMEOUT_MS = 9_000
const TOOLS_DELAY_MS = 500

const loaded = loadConfig()
const log = openLog({ logLevel: loaded.logLevel, name: 'worker' })
if (!loaded.databaseUrl) {
  log.fatal('a worker needs DATABASE_URL; npm start gives it the embedded Postgres')
  process.exit(1)
}
const url = loaded.databaseUrl
const workerId = newId()
const db = openDb(url, {
  name: 'worker',
  size: 6,
  onError: error => log.warn({ err: error }, 'database connection lost'),
})
// Before anything waits for a connection, which would time out meanwhile on a busy machine.
await loadModules(listOperations())
const { quietSince } = await readInstallation(db)
const config = quietSince === null ? loaded : loadQuietConfig()
const tracing = await openTracing(config, 'worker', log)
const settings = await openSettings(db)
const ours = await loadOperations()
const added = new AddedOperations({ db, log, root: join(config.dataDir, 'plugins') })
await added.refresh()
const pools = await openWorkerPools({ config, db, settings, log, added })
const clock = await openClock(db, aheadMs => log.warn({ aheadMs }, 'the clock of this host differs from the database'))
const context: WorkerContext = {
  workerId,
  clock,
  config,
  log,
  db,
  jobs: openJobs(url, 'worker'),
  settings,
  store: openStore(config),
  mail: openMailer(config, log),
  pools,
  download: config.outbound === 'public' ? createDownload() : undefined,
  outside: openOutsideFiles(config.lists, config.outbound === 'public' ? createOpenFile() : undefined),
  operations: added.join(ours),
  added,
  products: await loadProducts(),
  tools: [],
  outputNotes: new OutputNotes(pools.notesFolder),
  meters: openRunMeters(pools),
  facilitator: await openFacilitator(config, openSenderQueue, { log, clock }),
  running: new Map(),
  isDraining: false,
  vacuum: new QueueVacuum(url, log),
  queueLog: openQueueLog(log),
}
await loadChores()
await reapDeadWorkers()

const heartbeat = startHeartbeat({ url, workerId, onEvent: onHeartbeat })
const lanes = new Lanes(context, {
  onPools: reportPools,
  onResized: () => void reportWorker(),
})
const steps = new StepRunner(context, findSteps(), reportPools)
let isReported = false
let reportedTools = context.tools
let isStopping = false
await joinWorkers(db, describeWorker())
await lanes.resize()
await steps.resize()
const sweeping = startSweeping(context)
const trying = pools.watchTools(config.lanes, onTools)
const probing = startProbing(context)
const products = startProducts(context)
const plugins = watchPlugins(context)
const applySettings = createRefresh(readAndApplySettings, error => log.warn({ err: error }, 'settings not refreshed'))
const storeWatch = watchStore(context.store, onStoreChange)
const refreshAdded = createRefresh(joinAdded, error =>
  log.warn({ err: error }, 'operations of the operator not refreshed'),
)
const listener = openListener(
  url,
  'worker',
  {
    lane_jobs: notice => nudgeLane(notice),
    job_cancel: id => context.running.get(id)?.abort(),
    changed: subject => void (subject === 'plugin' ? refreshAdded() : WATCHED.has(subject) && applySettings()),
    ...products.listens,
  },
  () => void Promise.all([applySettings(), refreshAdded()]),
)
openProcessMeters({ registry: context.meters.registry, db, dataDir: config.dataDir, tracing })
const metrics = openMetricsServer(
  { host: config.adminHost, port: config.workerAdminPort },
  context.meters.registry,
  error => log.warn({ err: error }, 'metrics are not served'),
)
// After all that a start loads, the runners of the queues included.
compactHeap()
log.info({ workerId, lanes: lanes.sizes(), ...(quietSince !== null && { quietSince }) }, 'worker ready')
process.send?.({ ready: true })

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal))
process.on('disconnect', () => void stop('disconnect'))

/** The notice of added jobs is the lane and their number; steps have a queue beside the lanes. */
function nudgeLane(notice: string): void {
  const [lane = '', jobs] = notice.split(' ')
  if (isLane(lane)) lanes.nudge(lane, Number(jobs))
  else if (lane === 'step') steps.nudge(Number(jobs))
}

/** Other workers unlock what these pools hold if this worker dies. */
function reportPools(): void {
  heartbeat.setPools(listPools())
}

function listPools(): string[] {
  return [...lanes.poolIds(), ...steps.poolIds()]
}

/** Keeps the settings that it has while the database cannot be reached. */
async function readAndApplySettings(): Promise<void> {
  await settings.refresh()
  // What it works with was made for a quiet installation, or for one that is not; who supervises it starts it again.
  if (await hasQuietChanged(db, config)) return await stop('the installation changed')
  context.isDraining = !storeWatch.isReachable() || (await isDraining(db, workerId))
  await lanes.resize()
  await steps.resize()
}

/** A call that is on its way keeps its version. */
async function joinAdded(): Promise<void> {
  await added.refresh()
  context.operations = added.join(ours)
}

/** Finishes the running jobs, releases those that do not end in time, and closes everything. */
async function stop(reason: string): Promise<void> {
  if (isStopping) return
  isStopping = true
  log.info({ reason, running: context.running.size }, 'worker stopping')
  setTimeout(() => process.exit(0), STOP_TIMEOUT_MS).unref()
  setTimeout(releaseJobs, STOP_TIMEOUT_MS - 3_000).unref()
  clock.close()
  trying.stop()
  probing.stop()
  storeWatch.stop()
  sweeping.stop()
  plugins.stop()
  await Promise.all([lanes.stop(), steps.stop(), products.stop()])
  await context.jobs.close()
  await pools.close()
  await heartbeat.stop()
  // A database that is away changes nothing: others find that this worker is silent.
  await leaveWorkers(db, workerId).catch(error => log.warn({ err: error }, 'worker record not removed'))
  await context.facilitator?.close?.()
  await Promise.allSettled([listener.close(), metrics.close(), tracing?.close(), context.vacuum.close(), db.end()])
  process.exit(0)
}

function releaseJobs(): void {
  for (const job of context.running.values()) job.abort(new AttemptReleased('stopped here for another worker to run'))
}

function onStoreChange(): void {
  if (storeWatch.isReachable()) log.info('the object store is there again; taking jobs')
  else log.error('the object store does not answer; taking no jobs')
  void applySettings()
}

function onHeartbeat(event: HeartbeatEvent): void {
  if (event.kind === 'lost') {
    log.error(
      { running: context.running.size },
      'no heartbeat has succeeded; other workers take over, so the running jobs are stopped',
    )
    releaseJobs()
  } else if (!event.isKnown && !isStopping) {
    log.warn('other workers considered this one dead; joining again')
    releaseJobs()
    void reportWorker()
  }
  if (event.kind === 'beat' && event.rescued.length > 0)
    log.warn({ rescued: event.rescued }, 'took over from dead workers')
  if (event.kind === 'beat' && !isReported && !isStopping) void reportWorker()
  if (event.kind === 'beat' && event.expired > 0) log.warn({ expired: event.expired }, 'jobs past their deadline')
}

/** Many tools become known at about the same time, which is reported once. */
function onTools(reports: ToolReport[]): void {
  const isDue = context.tools === reportedTools
  context.tools = reports
  if (isDue) setTimeout(reportTools, TOOLS_DELAY_MS).unref()
}

function reportTools(): void {
  const { tools } = context
  reportedTools = tools
  const missing = tools.filter(({ ok }) => !ok).map(({ name }) => name)
  log.info({ known: tools.length, missing }, 'tools reported')
  void reportWorker()
}

/** What could not be written is written with the next heartbeat. */
async function reportWorker(): Promise<void> {
  isReported = true
  try {
    await joinWorkers(db, describeWorker())
  } catch (error) {
    isReported = false
    log.warn({ err: error }, 'worker record not written')
  }
}

function describeWorker() {
  const { pid } = process
  return { id: workerId, host: hostname(), pid, pools: listPools(), lanes: lanes.sizes(), tools: context.tools }
}

/** Takes over at once from workers of this machine whose processes are gone, without waiting for their silence. */
async function reapDeadWorkers(): Promise<void> {
  const dead = (await listWorkers(db)).filter(({ host, pid }) => host === hostname() && !isAlive(pid))
  if (dead.length === 0) return
  log.warn({ dead: dead.map(({ id }) => id) }, 'taking over from workers that died here')
  await reapWorkers(
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
