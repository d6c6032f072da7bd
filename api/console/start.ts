import { loadModules } from '#kit'
import { createRefresh } from '../../ops/back-off.ts'
import { loadConfig } from '../../ops/config.ts'
import { openLog } from '../../ops/log.ts'
import { readAddedOperations } from '../../ops/plugins/operations.ts'
import { openActingDb } from '../../sql/admin/acting.ts'
import { openDb, openListener } from '../../sql/db.ts'
import { openClock } from '../../sql/hosts/clock.ts'
import { openSettings } from '../../sql/setting.ts'
import { listCatalogFiles, loadCatalog } from '../catalog.ts'
import { RateLimits } from '../intake/identity/rate-limit.ts'
import { listLeastPrices } from '../product-parts.ts'
import { buildConsole } from './server.ts'

const STOP_WITHIN_MS = 5_000

const config = loadConfig()
const log = openLog({ logLevel: config.logLevel, name: 'console' })
const { databaseUrl: url, console: place } = config
if (!url || !place) {
  log.fatal('the console needs CONSOLE_PORT and DATABASE_URL; npm start gives it the embedded Postgres')
  process.exit(1)
}
const onLost = (error: Error) => log.warn({ err: error }, 'database connection lost')
const db = openDb(url, { name: 'console', size: 4, onError: onLost })
const acting = openActingDb(url, onLost)
// Before anything waits for a connection, which would time out meanwhile on a busy machine.
await loadModules(listCatalogFiles())
const settings = await openSettings(db)
const leastPrices = await listLeastPrices({ config, db })
const catalog = await loadCatalog({ leastPrices, added: await readAddedOperations(db, config.pluginsDir) })
const clock = await openClock(db, aheadMs => log.warn({ aheadMs }, 'the clock of this host differs from the database'))
const limits = new RateLimits(db, clock, () => settings.get('rate.network_factor'))
const refreshSettings = createRefresh(
  () => settings.refresh(),
  error => log.warn({ err: error }, 'settings not refreshed'),
)
const refreshAdded = createRefresh(
  async () => catalog.setAdded(await readAddedOperations(db, config.pluginsDir)),
  error => log.warn({ err: error }, 'operations of the operator not refreshed'),
)
const listener = openListener(
  url,
  'console',
  { changed: subject => void (subject === 'setting' ? refreshSettings() : subject === 'plugin' && refreshAdded()) },
  () => void Promise.all([refreshSettings(), refreshAdded()]),
)
const app = await buildConsole({ config: { ...config, console: place }, log, db, acting, settings, catalog, limits })
try {
  await app.listen({ host: place.host, port: place.port })
} catch (error) {
  log.fatal({ err: error }, `cannot listen on ${place.host}:${place.port}`)
  process.exit(1)
}
log.info({ url: place.url }, 'console ready')
process.send?.({ ready: true })

let isStopping = false
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal))
process.on('disconnect', () => void stop('disconnect'))

async function stop(reason: string): Promise<void> {
  if (isStopping) return
  isStopping = true
  log.info({ reason }, 'console stops')
  setTimeout(() => process.exit(0), STOP_WITHIN_MS).unref()
  await app.close()
  limits.close()
  await Promise.allSettled([listener.close(), acting.end(), db.end()])
  process.exit(0)
}
