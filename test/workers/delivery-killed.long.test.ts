import { expect, test } from 'vitest'
import { createNoisyPng } from '../support/images/png.ts'
import { startStack } from '../support/stack/start.ts'

test('a job whose worker is killed draws its source once and delivers once', async () => {
  await using stack = await startStack({ worker: false, env: { LANES: 'thread,native' } })
  const [worker, owner] = await Promise.all([stack.startWorker({}), stack.customer()])
  const create = async (preset: string, more: object = {}) =>
    (await owner.post('/v1/baton', { preset, tier: 'pico', ...more })).body
  const png = createNoisyPng(400).toString('base64')
  const source = await create('pass', { content: png, contentEncoding: 'base64', contentType: 'image/png' })
  const target = await create('drop', { tier: 'nano' })
  const { body } = await owner.post('/v1/image/resize', {
    ...{ file: { batonId: source.tokens[0].id }, width: 2_500, enlarge: true, kernel: 'nearest', format: 'avif' },
    ...{ deliver: { batonId: target.id }, async: true },
  })
  await owner.waitForStart(body.ticket)
  await worker.kill()
  await using _second = await stack.startWorker({})
  const job = await owner.waitForEnd(body.ticket, 200_000)
  expect([job.status, (job.result as { delivered: object }).delivered]).toEqual(['succeeded', { batonId: target.id }])
  const reads = (
    await stack.db.query({
      text: 'select reads_used::integer from svc.baton where id = $1',
      values: [source.id],
    })
  ).rows
  const { data: writes } = (await owner.get(`/v1/baton/${target.id}/event-logs?type=written`)).body
  expect([reads, writes.length]).toEqual([[{ reads_used: 1 }], 1])
  const { output } = job.result as { output: { sizeBytes: number } }
  const headers = { authorization: `Bearer ${owner.key}` }
  const delivered = await fetch(`${stack.url}/v1/baton/${target.id}`, { headers })
  expect((await delivered.bytes()).length).toBe(output.sizeBytes)
})
