import { readdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { type TSchema, Type } from 'typebox'
import { FileInput } from '#kit'
import { type Received, receiveBody, registerBodies } from '../../api/intake/body.ts'
import { registerObjectDoors } from '../../api/intake/object-doors.ts'
import { validate } from '../../api/intake/validate.ts'
import { LocalStore } from '../../ops/storage/index.ts'
import { openDoors, PUBLIC_URL } from './doors.ts'
import { freshFolder } from './folder.ts'

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

export const blob = (bytes: Uint8Array) => new Blob([new Uint8Array(bytes)])

/** A real server that receives bodies for a few schemas, and says what it made of them. */
export async function openBodyHome() {
  const folder = await freshFolder()
  const store = new LocalStore({ dataDir: folder.path, secret: 'a secret of enough letters', publicUrl: PUBLIC_URL })
  const received: Received[] = []
  const ends: unknown[] = []
  const doors = await openDoors(app => {
    registerBodies(app)
    registerObjectDoors(app, store)
    app.post<{ Params: { name: string } }>('/:name', async request => {
      const schema = SCHEMAS[request.params.name]!
      const room = {
        store,
        maxBytes: LIMIT_BYTES,
        memoryBytes: 16 * 1024,
        check: (body: unknown) => validate(schema, body),
      }
      const outcome = receiveBody(request, schema, room)
      outcome.then(
        value => received.push(value),
        error => ends.push(error),
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
  const leftBehind = async () => {
    const entries = await readdir(folder.path, { recursive: true, withFileTypes: true })
    return entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
  }
  const post = async (path: string, body: RequestInit['body'], more: Record<string, string> = {}) => {
    const headers = { authorization: 'Bearer key', ...more }
    const answer = await fetch(doors.url + path, { method: 'POST', body, headers, duplex: 'half' } as RequestInit)
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }
  return {
    ...doors,
    store,
    received,
    ends,
    post,
    leftBehind,
    /** Sends the beginning of a request and hangs up. */
    sendAndHangUp: (head: string, bytes: Uint8Array) => hangUp(doors.url, head, bytes),
    async [Symbol.asyncDispose]() {
      await doors[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}

function hangUp(url: string, head: string, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => {
      socket.write(head.replaceAll('\n', '\r\n'))
      socket.write(bytes, () => socket.resetAndDestroy())
    })
    socket.on('close', () => resolve())
    socket.on('error', reject)
  })
}
