import { expect, test } from 'vitest'
import { rows } from '../../../sql/db.ts'
import { writeSetting } from '../../../sql/setting.ts'
import { openPaidApi, type PaidApi } from '../../support/chain/in-process-paid-api.ts'
import { eventually } from '../../support/machine/eventually.ts'
import { startFakeWorker } from '../../support/stack/instant-worker.ts'

const rotate = (api: PaidApi, note: string, headers: Record<string, string> = {}) =>
  api.app.inject({
    method: 'POST',
    url: '/v1/pdf/rotate',
    headers,
    payload: { file: { inline: Buffer.from(`%PDF-1.4\n%${note}\n%%EOF`).toString('base64') }, degrees: '90' },
  })

interface QueuedProbe {
  payload: { operation: string; isDryRun: boolean; limitSeconds: number }
}

const readQueue = ({ context }: PaidApi) =>
  rows<QueuedProbe>(context.db, 'select payload from lane_program._private_jobs order by id')

test('a paid call does not wait behind unpaid probes, which run one at a time for a second', async () => {
  await using api = await openPaidApi()
  const wallet = api.chain.wallet()
  const unpaid = ['a', 'b', 'c'].map(note => rotate(api, note))
  await eventually('the first probe', async () => (await readQueue(api)).length === 1)
  const paid = rotate(api, 'd', { 'payment-signature': wallet.pay(30_000n) })
  await eventually('the probe of the paid call', async () => (await readQueue(api)).length === 2)
  const queued = (await readQueue(api)).map(({ payload }) => [payload.isDryRun, payload.limitSeconds])
  expect(queued).toEqual([
    [true, 1],
    [true, 20],
  ])
  const worker = startFakeWorker(api.context, 30_000n)
  try {
    expect((await Promise.all(unpaid)).map(({ statusCode }) => statusCode)).toEqual([402, 402, 402])
    expect((await paid).statusCode).toBe(200)
  } finally {
    await worker.stop()
  }
})

test('an address has a budget of time for unpaid probes; a payment is not held back by it', async () => {
  await using api = await openPaidApi()
  const { db, settings } = api.context
  const wallet = api.chain.wallet()
  await writeSetting(db, 'rate.probe_ms_per_minute', 1)
  await settings.refresh()
  const worker = startFakeWorker(api.context, 30_000n)
  try {
    expect((await rotate(api, 'x')).statusCode).toBe(402)
    const refused = await rotate(api, 'y')
    expect([refused.statusCode, refused.json().code]).toEqual([429, 'RATE_LIMITED'])
    expect((await rotate(api, 'y', { 'payment-signature': wallet.pay(30_000n) })).statusCode).toBe(200)
  } finally {
    await worker.stop()
  }
})
