import { setFlagsFromString } from 'node:v8'
import { openFacilitator } from '../ops/chain/facilitator.ts'
import { loadConfig } from '../ops/config.ts'
import { openLog } from '../ops/log.ts'
import { openMetricsDoor } from '../ops/metrics-door.ts'
import { hashApiKey } from '../ops/secrets.ts'
import { openStore } from '../ops/storage/index.ts'
import { openDb } from '../sql/db.ts'
import { openJobs } from '../sql/job.ts'
import { listen } from '../sql/line.ts'
import { openSettings } from '../sql/setting.ts'
import { loadCatalog } from './catalog.ts'
import type { Floor } from './floor.ts'
import { openKeys } from './intake/authenticate.ts'
import { openAvailability } from './intake/availability.ts'
import { JobWaiters } from './intake/await-job.ts'
import { openPeople } from './intake/people.ts'
import { RateLimits } from './intake/rate-limit.ts'
import { openWalletTokens } from './intake/wallet-token.ts'
import { Payments } from './intake/x402/payments.ts'
import { openMeters } from './meters.ts'
import { buildServer } from './server.ts'

// Bodies live outside the heap; counted into its own limit they would be collected by stopping everything.
setFlagsFromString('--external-memory-accounted-in-global-limit')

const STOP_WITHIN_MS = 8_000

const config = loadConfig()
const log = openLog({ logLevel: config.logLevel, name: 'api' })
if (!config.databaseUrl) {
  log.fatal('an api needs DATABASE_URL; npm start gives it the embedded Postgres')
  process.exit(1)
}
const url = config.databaseUrl
const db = openDb(url, { name: 'api', size: 8, onError: error => log.warn({ err: error }, 'database connection lost') })
const [facilitator, settings] = await Promise.all([openFacilitator(config, log), openSettings(db)])
const catalog = await loadCatalog({ isPayable: facilitator !== undefined })
const waiters = new JobWaiters(db)
const tokens = openWalletTokens({ db, config, settings })
const availability = openAvailability(db)
await availability.refresh()
const floor: Floor = {
  config,
  log,
  db,
  catalog,
  settings,
  waiters,
  availability,
  jobs: openJobs(url, 'api'),
  store: openStore(config),
  keys: openKeys(db, key => hashApiKey(config.secret, key), tokens),
  ...openPeople(config, log),
  tokens,
  payments: facilitator && new Payments(db, facilitator, config.secret),
  limits: new RateLimits(db),
  meters: openMeters(db, () => waiters.size),
}
const app = await buildServer(floor)
const ears = listen(url, 'api', { job_done: news => waiters.hear(news), changed: hearChange }, () => {
  waiters.catchUp()
  hearChange('setting')
  hearChange('key')
  hearChange('worker')
})
const metrics = openMetricsDoor(
  { host: config.adminHost, port: config.adminPort },
  async () => ({ contentType: floor.meters.registry.contentType, text: await floor.meters.registry.metrics() }),
  error => log.warn({ err: error }, 'metrics are not served'),
)

try {
  await app.listen({ host: config.host, port: config.port })
} catch (error) {
  log.fatal({ err: error }, `cannot listen on ${config.host}:${config.port}`)
  process.exit(1)
}
log.info({ url: config.publicUrl, operations: catalog.operations.length, routes: catalog.routes.length }, 'api ready')
process.send?.({ ready: true })

let isStopping = false
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal))
process.on('disconnect', () => void stop('disconnect'))

function hearChange(what: string): void {
  if (what === 'setting') void settings.refresh().catch(error => log.warn({ err: error }, 'settings not refreshed'))
  else if (what === 'worker')
    void availability.refresh().catch(error => log.warn({ err: error }, 'workers not looked up'))
  else {
    floor.keys.forget()
    floor.payments?.forget()
  }
}

/** Answers what has begun, takes nothing new. */
async function stop(reason: string): Promise<void> {
  if (isStopping) return
  isStopping = true
  log.info({ reason, waiting: waiters.size }, 'api stops')
  setTimeout(() => process.exit(0), STOP_WITHIN_MS).unref()
  setTimeout(() => waiters.dismiss(), STOP_WITHIN_MS - 2_000).unref()
  await app.close()
  await floor.jobs.close()
  floor.limits.close()
  availability.close()
  await facilitator?.close?.()
  await Promise.allSettled([ears.close(), metrics.close(), db.end()])
  process.exit(0)
}
