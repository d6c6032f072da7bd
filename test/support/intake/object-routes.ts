import type { AddressInfo } from 'node:net'
import Fastify, { type FastifyInstance } from 'fastify'
import { Problem } from '#kit'

/** The public address that a store is configured with; `fetchPublic` replaces it by that of the test server. */
export const PUBLIC_URL = 'http://coinop.test'

interface TestServer extends AsyncDisposable {
  url: string
  fetchPublic: typeof fetch
  /** Every error other than a Problem. */
  bugs: unknown[]
}

/** A bare server on loopback with the given routes, which answers Problems as the api does. */
export async function openTestServer(register: (app: FastifyInstance) => void): Promise<TestServer> {
  const app = Fastify({ forceCloseConnections: true })
  const bugs: unknown[] = []
  app.setErrorHandler((error, _request, reply) => {
    if (error instanceof Problem) return reply.code(error.status).send(error.toBody())
    const { statusCode } = error as { statusCode?: number }
    if (!statusCode) bugs.push(error)
    return reply.code(statusCode ?? 500).send({ error: String(error) })
  })
  register(app)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  return {
    url,
    bugs,
    fetchPublic: (input, init) => fetch(String(input).replace(PUBLIC_URL, url), init),
    [Symbol.asyncDispose]: () => app.close(),
  }
}
