import { setTimeout as sleep } from 'node:timers/promises'
import { openStore } from '../../../ops/providers/storage/open.ts'
import { purgeBatons } from '../../../sql/baton/lifecycle.ts'
import { openDb, rows } from '../../../sql/db.ts'
import { forgetObjects, listExpiredObjects } from '../../../sql/object.ts'
import type { ChoreDeps } from '../../../tasks/chores/deps.ts'
import purgeObjects from '../../../tasks/chores/purge-objects.ts'
import purge from '../../../tasks/products/baton/chores/purge.ts'

/**
 * A process that removes batons again and again, so that it can be killed in the middle of it. It also ends jobs that are past
 * their deadline, as workers do.
 */
const [url, storeConfig] = process.argv.slice(2) as [string, string]
const db = openDb(url, { name: 'sweeper', size: 2, onError: () => undefined })
const deps = {
  store: openStore(JSON.parse(storeConfig)),
  objects: {
    listExpired: (limit: number) => listExpiredObjects(db, limit),
    forget: (keys: string[]) => forgetObjects(db, keys),
  },
  log: () => undefined,
} as unknown as ChoreDeps
const ofBatons = { sql: { purgeBatons: (limit: number) => purgeBatons(db, limit) }, log: () => undefined }
process.on('disconnect', () => process.exit())
for (;;) {
  try {
    await purge.run(ofBatons as never)
    await purgeObjects.run(deps)
    await rows(db, 'select job.expire()')
  } catch {
    // Its connection was cut.
  }
  await sleep(50)
}
