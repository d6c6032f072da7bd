import type { FastifyInstance } from 'fastify'
import type { Entry, Facilitator } from '#kit'
import { loadCatalog, type NamedRoute } from '../../../api/catalog.ts'
import type { ApiContext } from '../../../api/context.ts'
import { openAvailability } from '../../../api/intake/availability.ts'
import { JobWaiters } from '../../../api/intake/await-job.ts'
import { openKeys } from '../../../api/intake/identity/authenticate.ts'
import { RateLimits } from '../../../api/intake/identity/rate-limit.ts'
import { openIdentityProviders } from '../../../api/intake/identity/sign-in-providers.ts'
import { openWalletTokens } from '../../../api/intake/identity/wallet-token.ts'
import { Payments } from '../../../api/intake/x402/payments.ts'
import { LongPolls } from '../../../api/long-polls.ts'
import { OpenCalls } from '../../../api/mcp/live/open-calls.ts'
import { ToolListeners } from '../../../api/mcp/live/tool-listeners.ts'
import { openMeters } from '../../../api/meters.ts'
import { listLeastPrices, type OpenedProducts, openProducts } from '../../../api/product-parts.ts'
import { buildServer, openOffers } from '../../../api/server.ts'
import { StatusBoard } from '../../../api/status/board.ts'
import { buildOpenApi } from '../../../api/surfaces/openapi/document.ts'
import { version } from '../../../api/surfaces/state.ts'
import { loadConfig } from '../../../ops/config.ts'
import { openLog } from '../../../ops/log.ts'
import { openStore } from '../../../ops/providers/storage/open.ts'
import { hashApiKey } from '../../../ops/secrets.ts'
import { openDb } from '../../../sql/db.ts'
import { openClock } from '../../../sql/hosts/clock.ts'
import { openJobs } from '../../../sql/job.ts'
import { tell } from '../../../sql/mcp/calls.ts'
import { openSettings } from '../../../sql/setting.ts'
import { freshDatabase } from '../database/fresh.ts'
import { freshFolder } from '../machine/folder.ts'
import { createResponseCheck, isJson, type OpenApi, type ResponseCheck } from './described-response.ts'

export interface InProcessApi extends AsyncDisposable {
  app: FastifyInstance
  context: ApiContext
}

/** The whole api with its own database and store, or those of `env`, called by `app.inject`. There is no worker. */
export async function openInProcessApi(
  env: Record<string, string> = {},
  facilitator?: Facilitator,
  routes: readonly NamedRoute[] = [],
): Promise<InProcessApi> {
  const [database, folder] = await Promise.all([freshDatabase(), freshFolder()])
  const config = loadConfig({
    DATABASE_URL: database.url,
    DATA_DIR: folder.path,
    SECRET: 'a secret of the tests alone',
    ...env,
  })
  const url = config.databaseUrl!
  const db = openDb(url, { name: 'test', size: 4, onError: () => undefined })
  const leastPrices = await listLeastPrices({ config, db })
  // Before anything waits for a connection, which would time out meanwhile on a busy machine.
  const catalog = await loadCatalog({ isPayable: facilitator !== undefined, leastPrices })
  const settings = await openSettings(db)
  const waiters = new JobWaiters(db)
  const tokens = openWalletTokens({ db, config, settings })
  const log = openLog({ logLevel: 'silent', name: 'test' })
  const clock = await openClock(db, () => undefined)
  const store = openStore(config)
  const opened = await openProducts({ config, db, databaseUrl: url, log, settings })
  const availability = openAvailability(db, opened.report)
  const context: ApiContext = {
    config,
    db,
    settings,
    waiters,
    longPolls: new LongPolls(),
    openCalls: new OpenCalls(message => tell(db, message)),
    toolListeners: new ToolListeners(),
    offers: opened.offers,
    localTools: opened.tools,
    catalog: { ...catalog, routes: [...catalog.routes, ...routes] },
    log,
    jobs: openJobs(url, 'test'),
    store,
    keys: openKeys(db, key => hashApiKey(config.secret, key), tokens, opened.bearers),
    ...openIdentityProviders(config, log),
    tokens,
    payments: facilitator && new Payments(db, facilitator, clock),
    clock,
    limits: new RateLimits(db, clock, () => settings.get('rate.network_factor')),
    readDb: db,
    availability,
    ...opened.parts,
    status: new StatusBoard({ db, store, availability, network: facilitator?.network().v1Name }),
    meters: openMeters(db, { waiting: () => waiters.size, workers: () => availability.workers().length }),
  }
  await context.availability.refresh()
  const app = await buildServer(context, { uploads: opened.uploads, offers: await openOffers(context) })
  const faults = watchResponses(app, context)
  const close = async () => {
    await closeApi(app, context, opened, [folder, database])
    if (faults.length > 0) throw new Error(faults.join('\n'))
  }
  return { app, context, [Symbol.asyncDispose]: close }
}

const checks = new Map<boolean, ResponseCheck>()

/** Lists what differs from the OpenAPI document in the JSON responses of the service. */
function watchResponses(app: FastifyInstance, { catalog, payments }: ApiContext): string[] {
  const faults: string[] = []
  const isPayable = payments !== undefined
  app.addHook('onSend', async ({ method, url: path }, reply, payload) => {
    const isReadable = typeof payload === 'string' || (Buffer.isBuffer(payload) && !reply.hasHeader('content-encoding'))
    if (!isReadable || !isJson(reply.getHeader('content-type'))) return
    const check = checks.get(isPayable) ?? createResponseCheck(describe(catalog.entries))
    checks.set(isPayable, check)
    const fault = check({ method, path, status: reply.statusCode, body: JSON.parse(String(payload)) as unknown })
    if (fault) faults.push(fault)
  })
  return faults
}

function describe(entries: readonly Entry[]): OpenApi {
  return buildOpenApi(entries, { publicUrl: 'http://127.0.0.1', version, canFetch: true }) as unknown as OpenApi
}

async function closeApi(
  app: FastifyInstance,
  context: ApiContext,
  opened: OpenedProducts,
  resources: AsyncDisposable[],
): Promise<void> {
  await app.close()
  await context.jobs.close()
  context.limits.close()
  context.clock.close()
  context.availability.close()
  await opened.close()
  await context.db.end()
  for (const resource of resources) await resource[Symbol.asyncDispose]()
}
