import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface LocalServer extends AsyncDisposable {
  url: string
}

/** What a request to a server of the tests' own brought. */
export interface Brought {
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: string
}

/** Stands in for a service at the world's edge: answers with JSON what `answer` gives, 404 where it gives nothing. */
export async function openLocalServer(
  answer: (brought: Brought) => Promise<object | undefined> | object | undefined,
): Promise<LocalServer> {
  const server = createServer((request, response) => void serve(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method = '', url = '', headers } = request
    const said = await answer({ method, path: url, headers, body: Buffer.concat(chunks).toString() })
    const { status = said ? 200 : 404, ...body } = (said ?? {}) as { status?: number }
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(JSON.stringify('list' in body ? body.list : body))
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
