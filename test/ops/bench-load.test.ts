import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { type Call, findGenerator, fire, type Generator } from '../../ops/bench/load.ts'
import { openSlowBucket } from '../../ops/bench/slow-bucket.ts'

interface Target extends AsyncDisposable {
  url: string
  keys: Map<string, number>
  bodies: Set<string>
}

/** Counts what comes by key; answers 500 to those whose key is bad. */
async function openTarget(): Promise<Target> {
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

const call = (keys: string[]): Call => ({
  path: '/v1/utils/hash?a=b',
  headers: { 'Content-Type': 'application/octet-stream' },
  body: Buffer.from([0, 10, 13, 255]),
  keys,
})

/** Whichever are here: autocannon always is. */
const generators = [...new Set<Generator>([findGenerator(), 'autocannon'])]

test.each(generators)('%s sends the whole call under each key in turn', async generator => {
  await using target = await openTarget()
  const volley = await fire(generator, target.url, call(['a', 'b', 'c']), { clients: 4, seconds: 1 })
  expect([...target.bodies]).toEqual(['POST /v1/utils/hash?a=b application/octet-stream 000a0dff'])
  expect([...target.keys.keys()].sort()).toEqual(['a', 'b', 'c'])
  const counts = [...target.keys.values()]
  expect(Math.max(...counts)).toBeLessThan(Math.min(...counts) * 1.5 + 10)
  const arrived = counts.reduce((sum, count) => sum + count, 0)
  expect(volley.calls).toBeGreaterThan(0)
  expect(volley.calls).toBeLessThanOrEqual(arrived)
  expect(volley.failed).toBe(0)
  expect(volley.perSecond).toBeCloseTo(volley.calls / volley.seconds)
})

test.each(generators)('%s counts answers that are no success', async generator => {
  await using target = await openTarget()
  const volley = await fire(generator, target.url, call(['good', 'bad']), { clients: 2, seconds: 1 })
  expect(volley.failed).toBeGreaterThan(0)
  expect(volley.failed).toBeLessThan(volley.calls)
})

test('the slow bucket keeps objects as S3 does', async () => {
  await using bucket = await openSlowBucket(1)
  const ask = (method: string, body?: string) => fetch(`${bucket.url}/far/key?x-id=1`, { method, body })
  expect((await ask('HEAD')).status).toBe(404)
  expect((await ask('PUT', 'bytes')).ok).toBe(true)
  expect((await ask('HEAD')).headers.get('content-length')).toBe('5')
  expect(await (await ask('GET')).text()).toBe('bytes')
  expect((await ask('DELETE')).status).toBe(204)
  expect((await ask('GET')).status).toBe(404)
})
