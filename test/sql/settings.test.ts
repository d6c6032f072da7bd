import { expect, test } from 'vitest'
import { type Db, openDb } from '../../sql/db.ts'
import { openSettings, writeSetting } from '../../sql/setting.ts'
import { freshDatabase } from '../support/database.ts'

const ROUND_TRIPS = 20

/** A database whose next readings come back only when they are let go, though they were made at once. */
function slowed(db: Db) {
  const { promise: until, resolve: letGo } = Promise.withResolvers<void>()
  let held: Promise<unknown>[] | undefined
  const query: Db['query'] = async config => {
    const reading = db.query(config)
    const isHeld = held?.push(reading)
    const found = await reading
    if (isHeld) await until
    return found as never
  }
  return {
    db: { query },
    /** Runs what reads, and goes on when all of it was read. */
    async hold(read: () => Promise<void>) {
      const readings: Promise<unknown>[] = []
      held = readings
      const whole = read()
      await expect.poll(() => readings.length).toBeGreaterThan(1)
      await Promise.all(readings)
      held = undefined
      return { whole }
    },
    letGo,
  }
}

test('of two changes shortly after each other none is lost, whichever reading takes longer', async () => {
  await using home = await freshDatabase()
  const own = openDb(home.url, { name: 'test' })
  const slow = slowed(own)
  const settings = await openSettings(slow.db)
  await writeSetting(own, 'cputools.exec.sync_timeout_s', 1)
  const { whole: first } = await slow.hold(settings.refresh)
  await writeSetting(own, 'cputools.exec.queue_timeout_s', 1)
  const second = settings.refresh()
  for (let trip = 0; trip < ROUND_TRIPS; trip++) await own.query({ text: 'select 1' })
  slow.letGo()
  await Promise.all([first, second])
  expect(settings.get('cputools.exec.sync_timeout_s')).toBe(1)
  expect(settings.get('cputools.exec.queue_timeout_s')).toBe(1)
  await own.end()
})
