import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

/** A file in memory behind Node's own server: nothing answers faster. */
const { PORT: port, FILE: file } = process.env
const content = readFileSync(file!)
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': content.length }).end(content)
  })
})
server.listen(Number(port), '127.0.0.1', () => process.send!({ ready: true }))
process.on('disconnect', () => process.exit(0))
process.on('SIGTERM', () => process.exit(0))
