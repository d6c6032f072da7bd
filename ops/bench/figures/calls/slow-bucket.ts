import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

/** An in-memory S3 bucket that delays every answer, as a distant one would. */
export async function openSlowBucket(answerMs: number): Promise<AsyncDisposable & { url: string }> {
  const objects = new Map<string, Buffer>()
  const server = createServer((request, reply) => void answer(objects, answerMs, request, reply))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

async function answer(
  objects: Map<string, Buffer>,
  answerMs: number,
  request: IncomingMessage,
  reply: ServerResponse,
): Promise<void> {
  const body = await buffer(request)
  await sleep(answerMs)
  const key = request.url!.split('?')[0]!
  const found = objects.get(key)
  switch (request.method) {
    case 'PUT':
      objects.set(key, body)
      reply.writeHead(200, { etag: '"kept"' }).end()
      break
    case 'DELETE':
      objects.delete(key)
      reply.writeHead(204).end()
      break
    default:
      reply.writeHead(found ? 200 : 404, { 'content-length': found?.length ?? 0 })
      reply.end(request.method === 'GET' ? found : undefined)
  }
}
