import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

interface ReceivedMessage {
  path: string
  headers: IncomingHttpHeaders
  body: string
  atMs: number
}

/** A server that receives webhooks. The path decides how it answers; a path may also be given an answer by the test. */
export interface WebhookReceiver extends AsyncDisposable {
  url: string
  port: number
  messages: ReceivedMessage[]
  /** The messages to one path. */
  at(path: string): ReceivedMessage[]
  /** From now on this path is answered so. */
  answer(path: string, answer: (response: ServerResponse) => void): void
}

const ANSWERS: Record<string, (response: ServerResponse) => void> = {
  '/ok': response => void response.writeHead(200).end('thanks'),
  '/broken': response => void response.writeHead(500).end('out of order'),
  '/gone': response => void response.writeHead(410).end(),
  '/moved': response => void response.writeHead(302, { location: '/ok' }).end(),
  '/busy': response => void response.writeHead(429, { 'retry-after': '9' }).end(),
  '/never-again': response => void response.writeHead(400, { 'webhook-delivery': 'abort-message' }).end(),
  '/leave-me': response => void response.writeHead(400, { 'webhook-delivery': 'disable' }).end(),
  '/reset': response => void response.destroy(),
  '/hang': () => undefined,
  '/large': response => void response.writeHead(200).end(`\0start ${'x'.repeat(5 << 20)}`),
  '/endless': response => {
    response.writeHead(200)
    const timer = setInterval(() => response.write('drip '), 20)
    response.on('close', () => clearInterval(timer))
  },
  '/compressed': response =>
    void response.writeHead(200, { 'content-encoding': 'gzip' }).end(Buffer.from('1f8b0800', 'hex')),
}

export async function openWebhookReceiver(): Promise<WebhookReceiver> {
  const answers = new Map(Object.entries(ANSWERS))
  const messages: ReceivedMessage[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', chunk => chunks.push(chunk as Buffer))
    request.on('end', () => {
      const path = request.url ?? ''
      messages.push({ path, headers: request.headers, body: Buffer.concat(chunks).toString(), atMs: Date.now() })
      const answer = answers.get(path)
      if (answer) answer(response)
      else response.writeHead(404).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    messages,
    at: path => messages.filter(message => message.path === path),
    answer: (path, answer) => void answers.set(path, answer),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
