import { expect, onTestFinished, test, vi } from 'vitest'
import { value } from '../../../sql/db.ts'
import { openClock } from '../../../sql/hosts/clock.ts'
import { openTestLedger } from '../../support/database/ledger.ts'

test('a clock that is minutes ahead is corrected by that of the database, and left alone when it is right', async () => {
  await using ledger = await openTestLedger()
  const differences: number[] = []
  const clock = await openClock(ledger.db, aheadMs => differences.push(aheadMs))
  onTestFinished(() => {
    clock.close()
    vi.restoreAllMocks()
  })
  expect(differences).toEqual([])
  const expectDatabaseTime = async () => {
    const readClock = () => value<Date>(ledger.db, 'select clock_timestamp()')
    const before = (await readClock()).getTime()
    const now = clock.now()
    expect(now).toBeGreaterThan(before - 10_000)
    expect(now).toBeLessThan((await readClock()).getTime() + 10_000)
  }
  await expectDatabaseTime()
  const readOwn = Date.now
  vi.spyOn(Date, 'now').mockImplementation(() => readOwn() + 240_000)
  await clock.measure()
  await expectDatabaseTime()
  expect(differences).toHaveLength(1)
  expect(Math.abs(differences[0]! - 240_000)).toBeLessThan(10_000)
  vi.restoreAllMocks()
  await clock.measure()
  expect(differences[1]).toBe(0)
})
