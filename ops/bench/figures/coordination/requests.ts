import { Agent, request } from 'node:http'
import { JSON_HEADERS } from '../../calls.ts'
import type { Stack } from '../../stack.ts'

interface Answer {
  status: number
  body: Record<string, unknown>
}

interface Sender extends Disposable {
  send(method: 'POST' | 'GET' | 'DELETE', path: string, body?: object): Promise<Answer>
}

/** Sends calls of one account over connections that stay open, as an agent does. */
export function openSender({ baseUrl, keys }: Stack, index: number): Sender {
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
  const authorization = `Bearer ${keys[index % keys.length]}`
  return {
    send: (method, path, body) =>
      new Promise<Answer>((resolve, reject) => {
        const payload = body ? JSON.stringify(body) : ''
        const length = body ? { ...JSON_HEADERS, 'content-length': Buffer.byteLength(payload) } : {}
        const options = { method, agent, headers: { authorization, ...length } }
        const outgoing = request(`${baseUrl}/v1/bridge/${path}`, options, response => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.on('error', reject)
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString()
            resolve({ status: response.statusCode!, body: JSON.parse(text) as Record<string, unknown> })
          })
        })
        outgoing.on('error', reject)
        outgoing.end(payload)
      }),
    [Symbol.dispose]: () => agent.destroy(),
  }
}
