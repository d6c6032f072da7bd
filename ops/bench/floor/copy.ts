import { createReadStream, createWriteStream, statSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

/** A file behind Node's own server: GET streams it, POST writes the body to another file. */
const { PORT: port, FILE: file, FOLDER: folder } = process.env
const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()))

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === 'GET') {
    response.writeHead(200, { 'content-length': statSync(file!).size })
    return pipeline(createReadStream(file!), response)
  }
  await pipeline(request, createWriteStream(join(folder!, 'received')))
  response.writeHead(204).end()
}

server.listen(Number(port), '127.0.0.1', () => process.send!({ ready: true }))
process.on('disconnect', () => process.exit(0))
process.on('SIGTERM', () => process.exit(0))
