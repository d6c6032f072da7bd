import { expect, onTestFinished, test, vi } from 'vitest'
import { seal } from '../../../ops/secrets.ts'
import { value } from '../../../sql/db.ts'
import { buildMessage } from '../../../workers/products/webhook/message.ts'
import { openQueue } from '../../support/database/webhook-queue.ts'

test('a message is signed with the time of the database, though the clock of the worker is wrong', async () => {
  await using queue = await openQueue()
  const account = await queue.openAccount(0n)
  await queue.register(account)
  await queue.emit(account, 'job.completed')
  const readClock = () => value<Date>(queue.db, 'select clock_timestamp()')
  const before = await readClock()
  const [delivery] = await queue.take()
  const after = await readClock()
  vi.useFakeTimers({ toFake: ['Date'], now: after.getTime() + 3_600_000 })
  onTestFinished(() => void vi.useRealTimers())
  const secret = seal('of the test', 's', delivery!.endpointId)
  const { headers } = await buildMessage({ config: { secret: 'of the test' } } as never, { ...delivery!, secret })
  const seconds = Number(headers['webhook-timestamp'])
  expect(seconds).toBeGreaterThanOrEqual(Math.floor(before.getTime() / 1_000))
  expect(seconds).toBeLessThanOrEqual(after.getTime() / 1_000)
})
