import { afterAll, beforeAll, expect, test } from 'vitest'
import { listWorkers } from '../../sql/worker.ts'
import { listDescendants } from '../support/machine/processes.ts'
import { record } from '../support/media/recordings.ts'
import { openDefaultStack } from '../support/stack/default.ts'
import type { Customer, Stack } from '../support/stack/start.ts'

let stack: Stack
let customer: Customer
beforeAll(async () => {
  stack = await openDefaultStack()
  customer = await stack.customer(10_000_000n)
})
afterAll(() => stack[Symbol.asyncDispose]())

test('a long encode shows in its ticket how far it is, and ends without a charge when it is cancelled', async () => {
  const still = '-f lavfi -i testsrc2=s=320x240:r=30:d=60 -pix_fmt yuv420p -preset ultrafast -crf 50 -g 600'
  const inline = record('mp4', still).toString('base64')
  const options = { to: 'webm', speedPreset: 'slow', quality: 'high', width: 1280, async: true }
  const { body, status } = await customer.post('/v1/media/convert', { file: { inline }, ...options })
  expect(status, JSON.stringify(body)).toBe(202)
  const read = async () => (await customer.get(`/v1/jobs/${body.ticket}`)).body
  const seen = new Set<number>()
  const collect = async () => {
    const { progress } = await read()
    if (progress) seen.add(progress.done)
    return seen.size
  }
  await expect.poll(collect, { timeout: 90_000, interval: 300 }).toBeGreaterThanOrEqual(2)
  expect((await read()).progress).toMatchObject({ total: 60, unit: 'seconds' })
  const [worker] = await listWorkers(stack.db)
  const listEncoders = () => listDescendants(worker!.pid).filter(({ command }) => command.includes('libvpx-vp9'))
  expect(listEncoders().length).toBeGreaterThan(0)
  await customer.delete(`/v1/jobs/${body.ticket}`)
  await expect.poll(() => listEncoders().length).toBe(0)
  await expect.poll(async () => (await read()).status).toBe('failed')
  expect((await read()).actualMicros ?? '0').toBe('0')
})
