import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openInProcessApi } from '../../support/stack/in-process-api.ts'

test.each([
  ['no HTTP at all', 'HELLO\r\n\r\n', 400, 'INVALID_HTTP'],
  [
    'a forbidden character in a header',
    'GET /v1/health HTTP/1.1\r\nHost: a\r\nX-A: \u0001\r\n\r\n',
    400,
    'INVALID_HTTP',
  ],
  [
    'headers that are too long',
    `GET /v1/health HTTP/1.1\r\nHost: a\r\nX-A: ${'a'.repeat(40_000)}\r\n\r\n`,
    431,
    'HEADERS_TOO_LARGE',
  ],
  [
    'a malformed escape in the path',
    'GET /v1/jobs/%E0%A4%A HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    400,
    'INVALID_PARAM',
  ],
])('%s is answered with a code of ours', async (_title, request, status, code) => {
  await using api = await openInProcessApi()
  await api.app.listen({ port: 0, host: '127.0.0.1' })
  const socket = connect((api.app.server.address() as AddressInfo).port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(request, 'latin1')
  const [head, body] = (await text(socket)).split('\r\n\r\n') as [string, string]
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  expect(JSON.parse(body)).toMatchObject({ code, error: expect.any(String) })
})

test('a request that arrives on an open connection while the api stops is asked to come again', async () => {
  await using api = await openInProcessApi()
  await api.app.listen({ port: 0, host: '127.0.0.1' })
  const socket = connect((api.app.server.address() as AddressInfo).port, '127.0.0.1')
  const opening = 'GET /health HTTP/1.1\r\nHost: a\r\n'
  socket.write(`${opening}\r\n${opening}`)
  await once(socket, 'data')
  const closing = api.app.close()
  while (api.app.server.listening) await setImmediate()
  socket.write('\r\n')
  const [head, body] = (await text(socket)).split('\r\n\r\n').slice(-2) as [string, string]
  expect(head).toMatch(/^HTTP\/1.1 503 [\s\S]*^retry-after: 1\r$/im)
  expect(JSON.parse(body)).toMatchObject({ code: 'BUSY' })
  await closing
})
