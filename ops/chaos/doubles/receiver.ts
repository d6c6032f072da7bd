import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export const RECEIVER_FAULTS = ['hangs', 'refuses', 'answers 500', 'answers 410', 'is down'] as const
type ReceiverState = (typeof RECEIVER_FAULTS)[number] | 'works'

interface Delivery {
  webhookId: string
  jobId: string
  state: ReceiverState
}

/** Receives webhooks as servers of customers do, also when they fail. */
export interface Receiver extends AsyncDisposable {
  url: string
  /** All that arrived, also what was not answered well. */
  deliveries: Delivery[]
  state: ReceiverState
  set(state: ReceiverState): Promise<void>
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
        state: receiver.state,
      })
      answer(response, receiver.state)
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
    state: 'works',
    async set(state) {
      const wasDown = receiver.state === 'is down'
      receiver.state = state
      if (state === 'is down' && !wasDown) await close()
      else if (wasDown && state !== 'is down') await listen(port)
      // What hangs must not hang on when it works again.
      if (state === 'works') server.closeAllConnections()
    },
    async [Symbol.asyncDispose]() {
      if (receiver.state !== 'is down') await close()
    },
  }
  return receiver
}

function answer(response: ServerResponse, state: ReceiverState): void {
  if (state === 'hangs') return
  if (state === 'refuses') response.destroy()
  else response.writeHead(state === 'answers 500' ? 500 : state === 'answers 410' ? 410 : 204).end()
}
