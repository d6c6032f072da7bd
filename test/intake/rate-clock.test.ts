import { expect, onTestFinished, test, vi } from 'vitest'
import { rows, value } from '../../sql/db.ts'
import { eventually } from '../support/machine/eventually.ts'
import { openBatonOwner } from '../support/stack/baton-owner.ts'
import { openInProcessApi } from '../support/stack/in-process-api.ts'

test('limits count the minutes of the database, which hosts with different clocks share', async () => {
  const readOwn = Date.now
  vi.spyOn(Date, 'now').mockImplementation(() => readOwn() + 240_000)
  onTestFinished(() => void vi.restoreAllMocks())
  await using api = await openInProcessApi()
  const { db } = api.context
  const owner = await openBatonOwner(api)
  const readMinute = () => value<number>(db, 'select floor(extract(epoch from clock_timestamp()) / 60)::float8')
  const before = await readMinute()
  expect((await owner.call('GET', '/v1/account')).statusCode).toBe(200)
  const counted = await eventually('the count to be shared', async () => {
    const found = await rows<{ window_start: bigint }>(db, 'select window_start from svc.rate_count limit 1')
    return found[0]
  })
  expect(Number(counted.window_start)).toBeGreaterThanOrEqual(before)
  expect(Number(counted.window_start)).toBeLessThanOrEqual(await readMinute())
})
