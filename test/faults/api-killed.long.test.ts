import { expect, test } from 'vitest'
import { eventually } from '../support/machine/eventually.ts'
import { startStack } from '../support/stack/start.ts'

test('when the api is killed while callers wait, their jobs run and their keys return the results', async () => {
  await using stack = await startStack({ worker: false, env: { LANES: 'thread' } })
  const customer = await stack.customer()
  const placeOrder = (index: number) =>
    customer.post('/v1/text/slugify', { text: `Title ${index}` }, { 'idempotency-key': `order-${index}` })
  const orders = Array.from({ length: 20 }, (_, index) => index)
  const outcomes = orders.map(index =>
    placeOrder(index).then(
      ({ status }) => status,
      () => 'cut',
    ),
  )
  const readHeld = async () => (await customer.money()).held
  await eventually('all calls to be accepted', async () => (await readHeld()) === 20_000n)
  await stack.api.kill()
  expect(new Set(await Promise.all(outcomes))).toEqual(new Set(['cut']))

  await stack.startWorker()
  await eventually('the jobs to be done', async () => (await readHeld()) === 0n)
  await stack.startApi()
  const jobs = (await customer.get('/v1/jobs?limit=100')).body.data as { status: string; error?: { code: string } }[]
  expect(jobs.map(({ status, error }) => error?.code ?? status)).toEqual(orders.map(() => 'succeeded'))
  const repeated = await Promise.all(orders.map(placeOrder))
  expect(repeated.map(({ body }) => body.slug ?? body)).toEqual(orders.map(index => `title-${index}`))
  expect(new Set(repeated.map(({ headers }) => headers.get('idempotency-replayed')))).toEqual(new Set(['true']))
  const one = await customer.get(`/v1/jobs/${repeated[0]!.headers.get('x-service-job-id')}`)
  expect(one.body).toMatchObject({ status: 'succeeded', result: { slug: 'title-0' } })
  expect(await customer.money()).toEqual({ balance: 980_000n, held: 0n })
})

test('a stopping api answers every waiting call and accepts no new ones', async () => {
  await using stack = await startStack()
  const customer = await stack.customer()
  const texts = Array.from({ length: 1_000 }, (_, index) => `Some title ${index}`)
  const calls = Array.from({ length: 20 }, () => customer.post('/v1/text/slugify', { texts }))
  await eventually('the calls to be accepted', async () => (await customer.money()).balance < 1_000_000n)
  const stopping = stack.api.stop()
  const answers = await Promise.allSettled(calls)
  expect(await stopping).toBe(0)
  const statuses = answers.map(answer => (answer.status === 'fulfilled' ? answer.value.status : 'refused'))
  const answered = statuses.filter(status => status === 200 || status === 202).length
  await eventually('the accepted jobs to be done', async () => (await customer.money()).held === 0n)
  const { balance } = await customer.money()
  const bodies = answers.flatMap(answer => (answer.status === 'fulfilled' ? [answer.value] : []))
  const charged = bodies.reduce((sum, { headers }) => sum + Number(headers.get('x-service-charged-micros')), 0)
  expect(statuses.filter(status => typeof status === 'number' && status >= 500 && status !== 503)).toEqual([])
  expect(1_000_000n - balance).toBeGreaterThanOrEqual(BigInt(charged))
  expect(1_000_000n - balance).toBe(BigInt(answered) * 1_000n)
})
