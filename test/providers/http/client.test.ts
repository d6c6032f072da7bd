import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Circuit } from '../../../ops/providers/http/circuit.ts'
import { openProviderClient, type ProviderClient } from '../../../ops/providers/http/client.ts'

let server: Server
let baseUrl: string
let requests: IncomingMessage[] = []
let answer: (response: ServerResponse, count: number) => void

beforeAll(async () => {
  server = createServer((request, response) => {
    requests.push(request)
    request.resume().on('end', () => answer(response, requests.length))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const open = (options: object = {}): ProviderClient =>
  openProviderClient({ provider: 'double', baseUrl, headers: { authorization: 'Bearer secret-token' }, ...options })
const send = (reply: typeof answer, call: object = {}, options: object = {}) => {
  requests = []
  answer = reply
  return open(options)({ path: '/find', ...call })
}
const status =
  (code: number, headers = {}) =>
  (response: ServerResponse) =>
    void response.writeHead(code, headers).end('{"why":"not so"}')

test('sends credentials, the query and JSON, and reads any declared encoding', async () => {
  const zipped = gzipSync('{"name":"Zürich"}')
  const json = (response: ServerResponse) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(zipped)
  expect(await send(json, { query: { q: 'a b&c', none: undefined } })).toEqual({ name: 'Zürich' })
  expect(requests[0]).toMatchObject({ method: 'GET', url: '/api/find?q=a+b%26c' })
  expect(requests[0]!.headers.authorization).toBe('Bearer secret-token')
  const latin = Buffer.from('{"name":"Zürich"}', 'latin1')
  const type = { 'content-type': 'application/json; charset=ISO-8859-1' }
  expect(await send(response => void response.writeHead(200, type).end(latin), { json: { a: 1 } })).toEqual({
    name: 'Zürich',
  })
  expect(requests[0]).toMatchObject({ method: 'POST', headers: { 'content-type': 'application/json' } })
})

test('what is wrong with the provider is a problem that names it and no secret', async () => {
  const fails = async (reply: typeof answer, call?: object, options?: object) => {
    const error = await send(reply, call, options).catch((problem: unknown) => problem)
    expect(JSON.stringify(error)).not.toContain('secret-token')
    return error
  }
  const problem = (hints: object) => ({ code: 'PROVIDER_UNAVAILABLE', hints: { provider: 'double', ...hints } })
  expect(await fails(status(503))).toMatchObject(problem({ providerStatus: 503 }))
  expect(await fails(status(429, { 'retry-after': '7' }))).toMatchObject(problem({ retryAfterSeconds: 7 }))
  expect(await fails(status(401))).toMatchObject(problem({ providerStatus: 401 }))
  expect(await fails(status(302, { location: 'http://169.254.169.254/' }))).toMatchObject(
    problem({ providerStatus: 302 }),
  )
  expect(await fails(response => void response.end('<html>'))).toMatchObject(problem({ reason: expect.any(String) }))
  expect(await fails(response => void response.end())).toMatchObject(problem({ reason: expect.any(String) }))
  const large = (response: ServerResponse) => void response.end(JSON.stringify('x'.repeat(2_000)))
  expect(await fails(large, {}, { maxBytes: 1_000 })).toMatchObject(problem({ reason: 'more than 1000 bytes' }))
  expect(await fails(() => undefined, { timeoutMs: 100 })).toMatchObject(problem({ isLate: true }))
  expect(await fails(response => void response.socket!.destroy())).toMatchObject(problem({}))
  expect(await fails(status(400))).toMatchObject({ name: 'ProviderRefusal', status: 400, body: { why: 'not so' } })
})

test('a call that changes nothing is repeated once after a failure that may pass, and no other', async () => {
  const second = (response: ServerResponse, count: number) =>
    void response.writeHead(count === 1 ? 502 : 200).end('{"count":2}')
  expect(await send(second, { isRepeatable: true })).toEqual({ count: 2 })
  await expect(send(second)).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' })
  await expect(send(status(429), { isRepeatable: true })).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' })
  expect(requests).toHaveLength(1)
})

test('a provider that fails again and again is left alone for a while', () => {
  const circuit = new Circuit()
  for (let failures = 0; failures < 5; failures++) {
    expect(circuit.isClosed(1_000)).toBe(true)
    circuit.failed(1_000)
  }
  expect(circuit.isClosed(30_000)).toBe(false)
  expect(circuit.retryAfterSeconds(30_000)).toBe(1)
  expect(circuit.isClosed(31_001)).toBe(true)
  expect(circuit.isClosed(31_002)).toBe(false)
  circuit.succeeded()
  expect(circuit.isClosed(31_003)).toBe(true)
})
