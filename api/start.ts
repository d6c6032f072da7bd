import { setFlagsFromString } from 'node:v8'
import { loadModules } from '#kit'
import { createRefresh } from '../ops/back-off.ts'
import { loadConfig, loadQuietConfig } from '../ops/config.ts'
import { openLog } from '../ops/log.ts'
import { openProcessMeters } from '../ops/metrics/process.ts'
import { openMetricsServer } from '../ops/metrics/server.ts'
import { compactWhenIdle } from '../ops/process/compact-heap.ts'
import { openFacilitator } from '../ops/providers/chain/open.ts'
import { openStore } from '../ops/providers/storage/open.ts'
import { hashApiKey } from '../ops/secrets.ts'
import { openTracing } from '../ops/tracing/open.ts'
import { openDb, openListener } from '../sql/db.ts'
import { openClock } from '../sql/hosts/clock.ts'
import { openReadDb } from '../sql/hosts/standby.ts'
import { hasQuietChanged, readInstallation } from '../sql/installation/quiet.ts'
import { openJobs } from '../sql/job.ts'
import { tell } from '../sql/mcp/calls.ts'
import { openSenderQueue } from '../sql/sender.ts'
import { openSettings } from '../sql/setting.ts'
import { AddedRouter } from './added-operations.ts'
import { listCatalogFiles, loadCatalog } from './catalog.ts'
import type { ApiContext } from './context.ts'
import { openAvailability } from './intake/availability.ts'
import { JobWaiters } from './intake/await-job.ts'
import { openKeys } from './intake/identity/authenticate.ts'
import { RateLimits } from './intake/identity/rate-limit.ts'
import { openIdentityProviders } from './intake/identity/sign-in-providers.ts'
import { openWalletTokens } from './intake/identity/wallet-token.ts'
import { Payments } from './intake/x402/payments.ts'
import { LongPolls } from './long-polls.ts'
import { OpenCalls } from './mcp/live/open-calls.ts'
import { ToolListeners } from './mcp/live/tool-listeners.ts'
import { openMeters } from './meters.ts'
import { listLeastPrices, listPartFiles, openProducts } from './product-parts.ts'
import { buildServer, openOffers } from './server.ts'
import { StatusBoard } from './status/board.ts'

/** Connections that wait to be taken while this process is busy; the system may allow fewer. */
const BACKLOG = 4_096
const STOP_WITHIN_MS = 8_000

const loaded = loadConfig()
const log = openLog({ logLevel: loaded.logLevel, name: 'api' })
if (!loaded.databaseUrl) {
  log.fatal('an api needs DATABASE_URL; npm start gives it the embedded Postgres')
  process.exit(1)
}
const url = loaded.databaseUrl
const db = openDb(url, { name: 'api', size: 8, onError: error => log.warn({ err: error }, 'database connection lost') })
// Before anything waits for a connection, which would time out meanwhile on a busy machine.
await loadModules([...listCatalogFiles(), ...listPartFiles()])
const { quietSince } = await readInstallation(db)
const config = quietSince === null ? loaded : loadQuietConfig()
const tracing = await openTracing(config, 'api', log)
const clock = await openClock(db, aheadMs => log.warn({ aheadMs }, 'the clock of this host differs from the database'))
const [facilitator, settings] = await Promise.all([
  openFacilitator(config, openSenderQueue, { log, clock }),
  openSettings(db),
])
const readDb = openReadDb(config.databaseReadUrl, db, {
  ...{ name: 'api reads', size: 4, maxLagSeconds: () => settings.get('api.max_read_lag_seconds') },
  onError: error => log.warn({ err: error }, 'connection to the standby lost'),
  onUnused: reason => log.warn({ reason }, 'the database of DATABASE_READ_URL is not used for now'),
})
const leastPrices = await listLeastPrices({ config, db })
const catalog = await loadCatalog({ isPayable: facilitator !== undefined, leastPrices })
const store = openStore(config)
const waiters = new JobWaiters(db)
const longPolls = new LongPolls()
const openCalls = new OpenCalls(message => tell(db, message))
const toolListeners = new ToolListeners()
const opened = await openProducts({ config, db, databaseUrl: url, log, settings })
const tokens = openWalletTokens({ db, config, settings })
const availability = openAvailability(db, opened.report)
await availability.refresh()
const context: ApiContext = {
  config,
  log,
  db,
  readDb,
  catalog,
  settings,
  waiters,
  longPolls,
  openCalls,
  toolListeners,
  availability,
  ...opened.parts,
  offers: opened.offers,
  localTools: opened.tools,
  jobs: openJobs(url, 'api'),
  store,
  keys: openKeys(db, key => hashApiKey(config.secret, key), tokens, opened.bearers),
  ...openIdentityProviders(config, log),
  tokens,
  payments: facilitator && new Payments(db, facilitator, clock),
  clock,
  limits: new RateLimits(db, clock, () => settings.get('rate.network_factor')),
  status: new StatusBoard({ db, store, availability, network: facilitator?.network().v1Name }),
  meters: openMeters(db, { waiting: () => waiters.size, workers: () => availability.workers().length }),
}
const offers = await openOffers(context)
const added = config.pluginsDir === undefined ? undefined : new AddedRouter(context, offers)
await added?.refresh()
const app = await buildServer(context, { uploads: opened.uploads, offers, findOther: added?.find })
const refreshSettings = createRefresh(
  () => settings.refresh(),
  error => log.warn({ err: error }, 'settings not refreshed'),
)
/** What it works with was made for a quiet installation, or for one that is not; who supervises it starts it again. */
const stopIfChanged = createRefresh(
  async () => void ((await hasQuietChanged(db, config)) && (await stop('the installation changed'))),
  error => log.warn({ err: error }, 'quiet not looked up'),
)
const listener = openListener(
  url,
  'api',
  {
    job_done: notification => waiters.onNotify(notification),
    long_polls: key => longPolls.wake(key),
    mcp: notification => openCalls.onNotify(notification),
    changed: onChange,
    ...opened.listens,
  },
  () => {
    waiters.readMissed()
    longPolls.wakeAll()
    opened.onMissed()
    onChange('setting')
    onChange('installation')
    onChange('key')
    onChange('worker')
    onChange('plugin')
  },
)
openProcessMeters({ registry: context.meters.registry, db, dataDir: config.dataDir, tracing })
const metrics = openMetricsServer({ host: config.adminHost, port: config.adminPort }, context.meters.registry, error =>
  log.warn({ err: error }, 'metrics are not served'),
)

await app.ready()
// Bodies live outside the heap; counted into its own limit they would be collected by stopping everything. Compiled code
// that was kept under other flags is refused, so this comes after all that a start loads.
setFlagsFromString('--external-memory-accounted-in-global-limit')
try {
  await app.listen({ host: config.host, port: config.port, backlog: BACKLOG })
} catch (error) {
  log.fatal({ err: error }, `cannot listen on ${config.host}:${config.port}`)
  process.exit(1)
}
log.info({ url: config.publicUrl, operations: catalog.operations.length, routes: catalog.routes.length }, 'api ready')
process.send?.({ ready: true })
compactWhenIdle()

let isStopping = false
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal))
process.on('disconnect', () => void stop('disconnect'))

function onChange(what: string): void {
  if (what === 'setting') void refreshSettings()
  else if (what === 'installation') void stopIfChanged()
  else if (what === 'worker')
    void availability.refresh().catch(error => log.warn({ err: error }, 'workers not looked up'))
  else if (what === 'plugin') void added?.refresh()
  else if (what === 'key' || what === 'account') {
    context.keys.forget()
    context.payments?.forget()
  } else opened.onChange(what)
}

/** Answers what has begun, takes nothing new. */
async function stop(reason: string): Promise<void> {
  if (isStopping) return
  isStopping = true
  log.info({ reason, waiting: waiters.size }, 'api stops')
  setTimeout(() => process.exit(0), STOP_WITHIN_MS).unref()
  setTimeout(() => waiters.giveUpAll(), STOP_WITHIN_MS - 2_000).unref()
  longPolls.endAll()
  toolListeners.endAll()
  opened.stop()
  await Promise.all([app.close(), added?.close()])
  await context.jobs.close()
  context.limits.close()
  clock.close()
  availability.close()
  await opened.close()
  await facilitator?.close?.()
  await Promise.allSettled([listener.close(), metrics.close(), tracing?.close(), readDb.end(), db.end()])
  process.exit(0)
}
