import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { openSlowBucket } from '../../../ops/bench/figures/calls/slow-bucket.ts'
import { type Call, findGenerator, type Generator, sendBurst } from '../../../ops/bench/load/run.ts'

interface TestServer extends AsyncDisposable {
  url: string
  keys: Map<string, number>
  bodies: Set<string>
}

/** Counts the calls by key; answers 500 to those with the key `bad`. */
async function openTestServer(): Promise<TestServer> {
  const keys = new Map<string, number>()
  const bodies = new Set<string>()
  const server = createServer((request, reply) => {
    const key = request.headers.authorization!.replace('Bearer ', '')
    keys.set(key, (keys.get(key) ?? 0) + 1)
    void buffer(request).then(body => {
      bodies.add(`${request.method} ${request.url} ${request.headers['content-type']} ${body.toString('hex')}`)
      reply.writeHead(key === 'bad' ? 500 : 200).end('{}')
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}`,
    keys,
    bodies,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

const buildCall = (keys: string[]): Call => ({
  path: '/v1/utils/hash?a=b',
  headers: { 'Content-Type': 'application/octet-stream' },
  body: Buffer.from([0, 10, 13, 255]),
  keys,
})

/** The installed generators; autocannon always is. */
const generators = [...new Set<Generator>([findGenerator(), 'autocannon'])]

test.each(generators)('%s sends the whole call under each key in turn', async generator => {
  await using server = await openTestServer()
  const burst = await sendBurst(generator, server.url, buildCall(['a', 'b', 'c']), { clients: 4, seconds: 1 })
  expect([...server.bodies]).toEqual(['POST /v1/utils/hash?a=b application/octet-stream 000a0dff'])
  expect([...server.keys.keys()].sort()).toEqual(['a', 'b', 'c'])
  const counts = [...server.keys.values()]
  expect(Math.max(...counts)).toBeLessThan(Math.min(...counts) * 1.5 + 10)
  const arrived = counts.reduce((sum, count) => sum + count, 0)
  expect(burst.calls).toBeGreaterThan(0)
  expect(burst.calls).toBeLessThanOrEqual(arrived)
  expect(burst.failed).toBe(0)
  expect(burst.perSecond).toBeCloseTo(burst.calls / burst.seconds)
})

test('calls are sent at a rate', async () => {
  await using server = await openTestServer()
  const load = { clients: 2, seconds: 1, rate: 20 }
  const { calls, failed } = await sendBurst('autocannon', server.url, buildCall(['a', 'b']), load)
  expect([calls, failed, [...server.keys.values()]]).toEqual([20, 0, [10, 10]])
})

test.each(generators)('%s counts unsuccessful answers', async generator => {
  await using server = await openTestServer()
  const burst = await sendBurst(generator, server.url, buildCall(['good', 'bad']), { clients: 2, seconds: 1 })
  expect(burst.failed).toBeGreaterThan(0)
  expect(burst.failed).toBeLessThan(burst.calls)
})

test('the slow bucket stores objects as S3 does', async () => {
  await using bucket = await openSlowBucket(1)
  const ask = (method: string, body?: string) => fetch(`${bucket.url}/far/key?x-id=1`, { method, body })
  expect((await ask('HEAD')).status).toBe(404)
  expect((await ask('PUT', 'bytes')).ok).toBe(true)
  expect((await ask('HEAD')).headers.get('content-length')).toBe('5')
  expect(await (await ask('GET')).text()).toBe('bytes')
  expect((await ask('DELETE')).status).toBe(204)
  expect((await ask('GET')).status).toBe(404)
})
