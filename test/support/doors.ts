import type { AddressInfo } from 'node:net'
import Fastify, { type FastifyInstance } from 'fastify'
import { Problem } from '#kit'

/** The address a store is told; `reach` turns it into the one of the server that really listens. */
export const PUBLIC_URL = 'http://coinop.test'

export interface OpenDoors extends AsyncDisposable {
  url: string
  reach: typeof fetch
  /** What was thrown that is no Problem. */
  bugs: unknown[]
}

/** A bare server on loopback with some doors in it, which answers Problems the way the api does. */
export async function openDoors(register: (app: FastifyInstance) => void): Promise<OpenDoors> {
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
    reach: (input, init) => fetch(String(input).replace(PUBLIC_URL, url), init),
    [Symbol.asyncDispose]: () => app.close(),
  }
}
