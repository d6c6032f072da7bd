import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export const RECEIVER_MOODS = ['hangs', 'refuses', 'answers 500', 'answers 410', 'is dead'] as const
export type ReceiverMood = (typeof RECEIVER_MOODS)[number] | 'is well'

interface Delivery {
  webhookId: string
  jobId: string
  mood: ReceiverMood
}

/** Receives webhooks as servers of customers do, on their good days and on their bad ones. */
export interface Receiver extends AsyncDisposable {
  url: string
  /** All that arrived, also what was not answered well. */
  deliveries: Delivery[]
  mood: ReceiverMood
  set(mood: ReceiverMood): Promise<void>
}

export async function openReceiver(): Promise<Receiver> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', chunk => chunks.push(chunk as Buffer))
    request.on('end', () => {
      const event = JSON.parse(Buffer.concat(chunks).toString()) as { jobId?: string; data?: { jobId?: string } }
      const webhookId = String(request.headers['webhook-id'])
      receiver.deliveries.push({
        webhookId,
        jobId: event.jobId ?? event.data?.jobId ?? '',
        mood: receiver.mood,
      })
      answer(response, receiver.mood)
    })
  })
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  await listen(0)
  const { port } = server.address() as AddressInfo
  const close = async () => {
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}`,
    deliveries: [],
    mood: 'is well',
    async set(mood) {
      const wasDead = receiver.mood === 'is dead'
      receiver.mood = mood
      if (mood === 'is dead' && !wasDead) await close()
      else if (wasDead && mood !== 'is dead') await listen(port)
      // What hangs must not hang on when it is well again.
      if (mood === 'is well') server.closeAllConnections()
    },
    async [Symbol.asyncDispose]() {
      if (receiver.mood !== 'is dead') await close()
    },
  }
  return receiver
}

function answer(response: ServerResponse, mood: ReceiverMood): void {
  if (mood === 'hangs') return
  if (mood === 'refuses') response.destroy()
  else response.writeHead(mood === 'answers 500' ? 500 : mood === 'answers 410' ? 410 : 204).end()
}
