import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface LocalServer extends AsyncDisposable {
  url: string
}

/** A request that a test server has received. */
export interface ReceivedRequest {
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: string
}

/** Replaces an external service: sends the result of `answer` as JSON, its `text` as it is, or 404 if there is none. */
export async function openLocalServer(
  answer: (request: ReceivedRequest) => Promise<object | undefined> | object | undefined,
): Promise<LocalServer> {
  const server = createServer((request, response) => void serve(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method = '', url = '', headers } = request
    const result = await answer({ method, path: url, headers, body: Buffer.concat(chunks).toString() })
    const { status = result ? 200 : 404, text, ...body } = (result ?? {}) as { status?: number; text?: string }
    const isRedirect = status >= 300 && status < 400
    response
      .writeHead(status, {
        'content-type': text === undefined ? 'application/json' : 'text/html; charset=utf-8',
        ...(isRedirect && { location: '/' }),
      })
      .end(text ?? JSON.stringify('list' in body ? body.list : body))
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
