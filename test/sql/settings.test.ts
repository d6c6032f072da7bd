import { expect, test } from 'vitest'
import { type Db, openDb, rows, value } from '../../sql/db.ts'
import { migrate } from '../../sql/migrate.ts'
import { openSettings, writeSetting } from '../../sql/setting.ts'
import { freshDatabase } from '../support/database/fresh.ts'

const ROUND_TRIPS = 20

/** A database whose queries run at once, but whose answers are delayed until `release` is called. */
function slowDown(db: Db) {
  const { promise: until, resolve: release } = Promise.withResolvers<void>()
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
    /** Starts `read` and resolves when its queries have run; their answers are held back. */
    async hold(read: () => Promise<void>) {
      const readings: Promise<unknown>[] = []
      held = readings
      const reading = read()
      await expect.poll(() => readings.length).toBeGreaterThan(1)
      await Promise.all(readings)
      held = undefined
      return { held: reading }
    },
    release,
  }
}

test('of two changes in short succession none is lost, whichever refresh takes longer', async () => {
  await using database = await freshDatabase()
  const db = openDb(database.url, { name: 'test' })
  const slow = slowDown(db)
  const settings = await openSettings(slow.db)
  await writeSetting(db, 'cputools.exec.sync_timeout_s', 1)
  const { held: first } = await slow.hold(settings.refresh)
  await writeSetting(db, 'cputools.exec.queue_timeout_s', 1)
  const second = settings.refresh()
  for (let trip = 0; trip < ROUND_TRIPS; trip++) await db.query({ text: 'select 1' })
  slow.release()
  await Promise.all([first, second])
  expect(settings.get('cputools.exec.sync_timeout_s')).toBe(1)
  expect(settings.get('cputools.exec.queue_timeout_s')).toBe(1)
  await db.end()
})

test('a setting is a whole number, and a fraction of an earlier release becomes one', async () => {
  await using database = await freshDatabase()
  const db = openDb(database.url, { name: 'test' })
  await expect(writeSetting(db, 'job.result_days', 1.5)).rejects.toThrow('job.result_days must be a whole number')
  expect(await value(db, "select setting.find_fault('job.result_days', '1.5')")).toBe('it must be a whole number')
  await rows(db, "select setting.write('backup.every_hours', '0.5')")
  await rows(
    db,
    `insert into svc.setting_change (kind, name, after, actor, state, due_at)
      values ('setting', 'job.result_days', '1.5', 'test', 'scheduled', now() + interval '1 day')`,
  )
  await rows(db, "delete from public.coinop_migration where name like '0795%'")
  await migrate(database.url)
  expect((await openSettings(db)).get('backup.every_hours')).toBe(1)
  expect(await value(db, "select after from svc.setting_change where state = 'scheduled'")).toBe(2)
  await db.end()
})

test('a list of lists that are not there is refused, because they would not be searched', async () => {
  await using database = await freshDatabase()
  const db = openDb(database.url, { name: 'test' })
  await expect(writeSetting(db, 'screening.lists', ['un_sc', 'us_ofac_sdnn'])).rejects.toThrow(
    /^screening\.lists has no "us_ofac_sdnn"; it may have only us_ofac_sdn, /,
  )
  const findFault = (lists: string[]) =>
    value(db, "select setting.find_fault('screening.lists', $1)", [JSON.stringify(lists)])
  expect(await findFault(['un_sc', 'us_ofac_sdnn'])).toMatch(/^it may have only us_ofac_sdn, /)
  expect(await findFault(['un_sc'])).toBeNull()
  expect(await value(db, `select setting.find_fault('mcp.origins', '["https://any.example"]')`)).toBeNull()
  await db.end()
})
