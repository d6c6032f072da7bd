import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '#kit'
import type { ObjectStore, StoredObject } from '../../../ops/providers/storage/contract.ts'
import { contentDisposition } from '../../../ops/providers/storage/disposition.ts'
import { isObjectKey } from '../../../ops/providers/storage/key.ts'
import { LocalStore } from '../../../ops/providers/storage/local.ts'
import { readForm } from '../body/multipart.ts'
import { sendObject } from '../reply/range.ts'

/** A file that something waits for. It is kept under a key of its own, which no form names. */
interface AwaitedUpload {
  key: string
  /** Takes the file over, before the upload is answered. */
  take(stored: StoredObject): Promise<void>
}

/** What waits for the file of a form; undefined for keys of no product. Throws if nothing waits any more. */
export type Uploads = (key: string, contentType: string) => Promise<AwaitedUpload | undefined>

/**
 * The routes behind the local driver's presigned URLs. They may serve anything an untrusted caller uploaded, so the
 * browser is told to download it, to trust its declared type and to run nothing. With S3 these routes do not exist.
 */
export function registerObjectRoutes(app: FastifyInstance, store: ObjectStore, uploads?: Uploads): void {
  if (!(store instanceof LocalStore)) return
  app.register(async scope => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('multipart/form-data', (_request, payload, done) => done(null, payload))
    scope.route<{ Params: { '*': string } }>({
      method: ['GET', 'HEAD'],
      url: '/objects/*',
      handler: (request, reply) => serveObject(store, request, reply),
    })
    scope.post('/objects', (request, reply) => receiveObject(store, request, reply, uploads))
  })
}

async function serveObject(
  store: LocalStore,
  request: FastifyRequest<{ Params: { '*': string } }>,
  reply: FastifyReply,
): Promise<unknown> {
  const key = request.params['*']
  const { filename, contentType } = store.verifyGet(key, request.query as Record<string, unknown>)
  const facts = await store.stat(key)
  if (!facts) throw new Problem('NOT_FOUND')
  reply.headers({
    'content-type': contentType ?? facts.contentType,
    'content-disposition': contentDisposition(filename),
    'x-content-type-options': 'nosniff',
    'content-security-policy': "sandbox; default-src 'none'",
    'cross-origin-resource-policy': 'cross-origin',
    'cache-control': 'private, max-age=3600',
  })
  return sendObject(store, { key, sizeBytes: facts.sizeBytes }, request, reply)
}

/** What nothing takes any more is removed, because its account may be erased with all records. */
async function takeUpload(store: LocalStore, { key, take }: AwaitedUpload, stored: StoredObject): Promise<void> {
  try {
    await take(stored)
  } catch (error) {
    if (error instanceof Problem) await store.remove(key)
    throw error
  }
}

const PLAIN_TYPE = 'application/octet-stream'

async function receiveObject(
  store: LocalStore,
  request: FastifyRequest,
  reply: FastifyReply,
  uploads: Uploads = async () => undefined,
): Promise<FastifyReply> {
  const fields: Record<string, string> = Object.create(null)
  let taken: string | undefined
  let finish: (() => Promise<void>) | undefined
  await readForm(request.raw, {
    isFile: (name, filename) => name === 'file' || filename !== undefined,
    field: (name, value) => {
      if (taken) throw new Problem('INVALID_MULTIPART', { reason: 'The file must be the last part.' })
      fields[name] = value
    },
    file: async (name, stream: Readable) => {
      if (name !== 'file')
        throw new Problem('INVALID_MULTIPART', { reason: 'The part of the file must be named file.' })
      if (taken) throw new Problem('INVALID_MULTIPART', { reason: 'There must be one file.' })
      if (Object.keys(fields).length === 0)
        throw new Problem('INVALID_MULTIPART', { reason: 'The fields of the form must come before the file.' })
      const { key, maxBytes, contentType } = store.verifyPost(fields)
      if (!isObjectKey(key)) throw new Problem('FORBIDDEN')
      taken = key
      const type = contentType ?? PLAIN_TYPE
      const awaited = await uploads(key, type)
      const isHashed = awaited !== undefined
      const options = { contentType: type, maxBytes, isWriteOnce: true, isHashed, takesChunks: true }
      const stored = await store.put(awaited?.key ?? key, stream, options)
      finish = awaited && (() => takeUpload(store, awaited, stored))
    },
  })
  if (!taken) throw new Problem('INVALID_MULTIPART', { reason: 'The file is missing.' })
  await finish?.()
  return reply.code(204).send()
}
