import type { FastifyInstance } from 'fastify'
import type { Facilitator } from '#kit'
import { loadCatalog } from '../../api/catalog.ts'
import type { Floor } from '../../api/floor.ts'
import { openKeys } from '../../api/intake/authenticate.ts'
import { openAvailability } from '../../api/intake/availability.ts'
import { JobWaiters } from '../../api/intake/await-job.ts'
import { openPeople } from '../../api/intake/people.ts'
import { RateLimits } from '../../api/intake/rate-limit.ts'
import { openWalletTokens } from '../../api/intake/wallet-token.ts'
import { Payments } from '../../api/intake/x402/payments.ts'
import { openMeters } from '../../api/meters.ts'
import { buildServer } from '../../api/server.ts'
import { loadConfig } from '../../ops/config.ts'
import { openLog } from '../../ops/log.ts'
import { hashApiKey } from '../../ops/secrets.ts'
import { openStore } from '../../ops/storage/index.ts'
import { openDb } from '../../sql/db.ts'
import { openJobs } from '../../sql/job.ts'
import { openSettings } from '../../sql/setting.ts'
import { freshDatabase } from './database.ts'
import { freshFolder } from './folder.ts'

export interface FrontDoor extends AsyncDisposable {
  app: FastifyInstance
  floor: Floor
}

/** The whole api on a database and a store of its own, asked by `app.inject`; no worker stands behind it. */
export async function openFrontDoor(env: Record<string, string> = {}, facilitator?: Facilitator): Promise<FrontDoor> {
  const [home, folder] = await Promise.all([freshDatabase(), freshFolder()])
  const config = loadConfig({
    DATABASE_URL: home.url,
    DATA_DIR: folder.path,
    SECRET: 'a secret of the tests alone',
    ...env,
  })
  const db = openDb(home.url, { name: 'test', size: 4, onError: () => undefined })
  const [settings, found] = await Promise.all([openSettings(db), loadCatalog({ isPayable: facilitator !== undefined })])
  const waiters = new JobWaiters(db)
  const tokens = openWalletTokens({ db, config, settings })
  const log = openLog({ logLevel: 'silent', name: 'test' })
  const floor: Floor = {
    config,
    db,
    settings,
    waiters,
    catalog: found,
    log,
    jobs: openJobs(home.url, 'test'),
    store: openStore(config),
    keys: openKeys(db, key => hashApiKey(config.secret, key), tokens),
    ...openPeople(config, log),
    tokens,
    payments: facilitator && new Payments(db, facilitator, config.secret),
    limits: new RateLimits(db),
    availability: openAvailability(db),
    meters: openMeters(db, () => waiters.size),
  }
  await floor.availability.refresh()
  const app = await buildServer(floor)
  return { app, floor, [Symbol.asyncDispose]: () => closeFrontDoor(app, floor, [folder, home]) }
}

async function closeFrontDoor(app: FastifyInstance, floor: Floor, rest: AsyncDisposable[]): Promise<void> {
  await app.close()
  await floor.jobs.close()
  floor.limits.close()
  floor.availability.close()
  await floor.db.end()
  for (const thing of rest) await thing[Symbol.asyncDispose]()
}
