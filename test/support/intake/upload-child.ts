import Fastify from 'fastify'
import { Type } from 'typebox'
import { FileInput } from '#kit'
import { registerBodies } from '../../../api/intake/body/json.ts'
import { receiveBody } from '../../../api/intake/body/receive.ts'
import { registerObjectRoutes } from '../../../api/intake/files/object-routes.ts'
import { openStore } from '../../../ops/providers/storage/open.ts'

/**
 * A separate process that accepts uploads in every form, so that its memory can be measured. It gets its store as JSON,
 * prints the address it listens on, and reports its peak memory at `GET /memory`.
 */
const store = openStore(JSON.parse(process.argv[2]!))
const schema = Type.Object({ file: FileInput() })
const app = Fastify()
registerBodies(app)
registerObjectRoutes(app, store)
app.post('/raw', async request => {
  const limits = { callId: 'call', store, maxBytes: 50 * 2 ** 20, memoryBytes: 16 * 1024 }
  const { uploads } = await receiveBody(request, schema, limits)
  return { sha256: uploads.get('upload:0')!.sha256 }
})
app.get('/memory', async () => ({ peakBytes: process.resourceUsage().maxRSS * 1024 }))
app.get<{ Querystring: { key: string } }>('/form', async request =>
  store.presignPost(request.query.key, { maxBytes: 50 * 2 ** 20, expiresInSeconds: 600 }),
)
console.log(await app.listen({ host: '127.0.0.1', port: 0 }))
