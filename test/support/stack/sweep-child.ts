import { setTimeout as sleep } from 'node:timers/promises'
import { openStore } from '../../../ops/providers/storage/open.ts'
import { purgeBatons as purge } from '../../../sql/baton/lifecycle.ts'
import { openDb, rows } from '../../../sql/db.ts'
import { forgetObjects, listExpiredObjects } from '../../../sql/object.ts'
import type { ChoreDeps } from '../../../tasks/chores/deps.ts'
import purgeBatons from '../../../tasks/chores/purge-batons.ts'
import purgeObjects from '../../../tasks/chores/purge-objects.ts'

/**
 * A process that removes batons again and again, so that it can be killed in the middle of it. It also ends jobs that are past
 * their deadline, as workers do.
 */
const [url, storeConfig] = process.argv.slice(2) as [string, string]
const db = openDb(url, { name: 'sweeper', size: 2, onError: () => undefined })
const deps = {
  store: openStore(JSON.parse(storeConfig)),
  batons: { purge: (limit: number) => purge(db, limit) },
  objects: {
    listExpired: (limit: number) => listExpiredObjects(db, limit),
    forget: (keys: string[]) => forgetObjects(db, keys),
  },
  log: () => undefined,
} as unknown as ChoreDeps
process.on('disconnect', () => process.exit())
for (;;) {
  try {
    await purgeBatons.run(deps)
    await purgeObjects.run(deps)
    await rows(db, 'select job.expire()')
  } catch {
    // Its connection was cut.
  }
  await sleep(50)
}
