import Fastify from 'fastify'
import { Type } from 'typebox'
import { FileInput } from '#kit'
import { receiveBody, registerBodies } from '../../api/intake/body.ts'
import { registerObjectDoors } from '../../api/intake/object-doors.ts'
import { openStore } from '../../ops/storage/index.ts'

/**
 * A process of its own that takes uploads by every way there is, so that its memory can be measured. It is told its
 * store as JSON, prints the address it listens on, and says at `GET /memory` how much it has ever held.
 */
const store = openStore(JSON.parse(process.argv[2]!))
const schema = Type.Object({ file: FileInput() })
const app = Fastify()
registerBodies(app)
registerObjectDoors(app, store)
app.post('/raw', async request => {
  const room = { store, maxBytes: 50 * 2 ** 20, memoryBytes: 16 * 1024 }
  const { uploads } = await receiveBody(request, schema, room)
  return { sha256: uploads.get('upload:0')!.sha256 }
})
app.get('/memory', async () => ({ peakBytes: process.resourceUsage().maxRSS * 1024 }))
app.get<{ Querystring: { key: string } }>('/form', async request =>
  store.presignPost(request.query.key, { maxBytes: 50 * 2 ** 20, expiresInSeconds: 600 }),
)
console.log(await app.listen({ host: '127.0.0.1', port: 0 }))
