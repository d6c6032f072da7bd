import { readdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { type TSchema, Type } from 'typebox'
import { FileInput } from '#kit'
import { registerBodies } from '../../../api/intake/body/json.ts'
import { type ReceivedBody, receiveBody } from '../../../api/intake/body/receive.ts'
import { registerObjectRoutes } from '../../../api/intake/files/object-routes.ts'
import { validate } from '../../../api/intake/validate.ts'
import { LocalStore } from '../../../ops/providers/storage/local.ts'
import { freshFolder } from '../machine/folder.ts'
import { openTestServer, PUBLIC_URL } from './object-routes.ts'

export const LIMIT_BYTES = 2 * 2 ** 20

const RESIZE = Type.Object(
  {
    file: FileInput(),
    width: Type.Optional(Type.Integer({ minimum: 1 })),
    quality: Type.Optional(Type.Number()),
    sharpen: Type.Optional(Type.Boolean()),
    format: Type.Optional(Type.Enum(['png', 'webp'])),
    pages: Type.Optional(Type.Array(Type.Integer())),
    crop: Type.Optional(Type.Object({ x: Type.Integer() }, { additionalProperties: false })),
    quarter: Type.Optional(Type.Union([Type.Literal(90), Type.Literal('auto')])),
  },
  { additionalProperties: false },
)
const MERGE = Type.Object({ files: Type.Array(FileInput(), { minItems: 2 }) }, { additionalProperties: false })
const SLUG = Type.Object({ text: Type.String() }, { additionalProperties: false })
const STAMP = Type.Object({ file: FileInput(), image: FileInput() }, { additionalProperties: false })

const SCHEMAS: Record<string, TSchema> = { resize: RESIZE, merge: MERGE, slug: SLUG, stamp: STAMP }

export const toBlob = (bytes: Uint8Array) => new Blob([new Uint8Array(bytes)])

/** A real server that receives bodies for a few schemas and returns what it has read. */
export async function openBodyServer() {
  const folder = await freshFolder()
  const store = new LocalStore({ dataDir: folder.path, secret: 'a secret that is long enough', publicUrl: PUBLIC_URL })
  const received: ReceivedBody[] = []
  const failures: unknown[] = []
  const server = await openTestServer(app => {
    registerBodies(app)
    registerObjectRoutes(app, store)
    app.post<{ Params: { name: string } }>('/:name', async request => {
      const schema = SCHEMAS[request.params.name]!
      const limits = {
        callId: 'call',
        store,
        maxBytes: LIMIT_BYTES,
        memoryBytes: 16 * 1024,
        check: (body: unknown) => validate(schema, body),
      }
      const outcome = receiveBody(request, schema, limits)
      outcome.then(
        value => received.push(value),
        error => failures.push(error),
      )
      const { body, uploads, fingerprint } = await outcome
      const files = [...uploads].map(([name, { head: _head, bytes, ...facts }]) => ({
        as: name,
        ...facts,
        held: bytes?.length,
      }))
      return { body, files, fingerprint: fingerprint?.toString('hex') }
    })
  })
  const listStoredFiles = async () => {
    const entries = await readdir(folder.path, { recursive: true, withFileTypes: true })
    return entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
  }
  const post = async (path: string, body: RequestInit['body'], extraHeaders: Record<string, string> = {}) => {
    const headers = { authorization: 'Bearer key', ...extraHeaders }
    const answer = await fetch(server.url + path, { method: 'POST', body, headers, duplex: 'half' } as RequestInit)
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }
  return {
    ...server,
    store,
    received,
    failures,
    post,
    listStoredFiles,
    /** Sends the beginning of a request and closes the connection. */
    sendPartially: (head: string, bytes: Uint8Array) => sendPart(server.url, head, bytes),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}

function sendPart(url: string, head: string, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => {
      socket.write(head.replaceAll('\n', '\r\n'))
      socket.write(bytes, () => socket.resetAndDestroy())
    })
    socket.on('close', () => resolve())
    socket.on('error', reject)
  })
}
