import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { Problem } from '#kit'
import type { ObjectStore } from '../../ops/storage/index.ts'
import { drain } from './drain.ts'
import { acceptedBy, fileFieldsOf } from './file-fields.ts'
import { readParts } from './form-parts.ts'
import { parseJson } from './json.ts'
import { optionsFrom, type Texts } from './options.ts'
import { takeUpload, type Upload, type UploadRoom } from './upload.ts'

export const JSON_BODY_BYTES = 6 * 2 ** 20

/** What a request's body came to, whichever of its three forms it had. */
export interface Received {
  /** JSON as it was sent; of the other forms the options, with `{ inputKey: 'upload:0' }` where a file belongs. */
  body: unknown
  /** The files those names stand for. */
  uploads: ReadonlyMap<string, Upload>
  /** Tells one request from another under the same Idempotency-Key; only made where there is one, or a payment. */
  fingerprint?: Buffer
}

export interface BodyRoom {
  store: ObjectStore
  /** `cputools.io.max_storage_ref_bytes`. */
  maxBytes: number
  /** Files up to this stay in memory: more than the least only where the operation may run at once. */
  memoryBytes: number
  /** Called once, as soon as the body is known and where possible before its file is read. */
  check?(body: unknown): void
}

/** What browsers and curl say of a body nobody gave a type: never the type of a file. */
const FORM_OF_TEXTS = 'application/x-www-form-urlencoded'
const NO_UPLOADS: ReadonlyMap<string, Upload> = new Map()
const digests = new WeakMap<FastifyRequest, Buffer>()

/** In the place of a body that could not be read. A parser that fails would make the server hang up on its caller. */
class Unreadable {
  readonly reason: unknown

  constructor(reason: unknown) {
    this.reason = reason
  }
}

/** JSON is parsed when it arrives, up to `maxBytes`; all other bodies wait as streams until somebody wants them. */
export function registerBodies(app: FastifyInstance, maxBytes: number = JSON_BODY_BYTES): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', (request: FastifyRequest, payload: IncomingMessage) =>
    readJson(request, payload, maxBytes).catch((error: unknown) => new Unreadable(error)),
  )
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
  app.addHook('preValidation', async ({ body }) => {
    if (body instanceof Unreadable) throw body.reason
  })
}

async function readJson(request: FastifyRequest, payload: IncomingMessage, maxBytes: number): Promise<unknown> {
  if (request.headers['content-encoding'] !== undefined) throw unsupported(request, ['identity'], 'Content-Encoding')
  const bytes = await readWhole(payload, request, maxBytes)
  if (request.routeOptions.config.isRaw) return bytes
  if (bytes.length === 0) return undefined
  if (isToldApart(request)) digests.set(request, digestOf(request, [bytes]))
  return parseJson(bytes)
}

/** Turns the body of a call on `schema` into values and uploads. Whoever called is known by now: bytes cost room. */
export async function receiveBody(request: FastifyRequest, schema: TSchema, room: BodyRoom): Promise<Received> {
  const { body } = request
  if (body instanceof Readable) return receiveStream(request, schema, room)
  if (body === undefined || body === null) throw new Problem('EMPTY_BODY')
  room.check?.(body)
  return { body, uploads: NO_UPLOADS, fingerprint: digests.get(request) }
}

/** For what takes JSON alone. */
export function jsonBody(request: FastifyRequest): unknown {
  if (request.body instanceof Readable) throw unsupported(request, ['application/json'])
  return request.body
}

export async function discardUploads(uploads: Iterable<Upload>, store: ObjectStore): Promise<void> {
  const keys = Array.from(uploads).flatMap(({ key }) => key ?? [])
  await Promise.all(keys.map(key => store.remove(key)))
}

async function receiveStream(request: FastifyRequest, schema: TSchema, room: BodyRoom): Promise<Received> {
  const fields = fileFieldsOf(schema)
  if (request.headers['content-encoding'] !== undefined) throw unsupported(request, ['identity'], 'Content-Encoding')
  const uploads = new Map<string, Upload>()
  try {
    if (typeOf(request) === 'multipart/form-data' && fields.size > 0)
      return await receiveForm(request, schema, room, uploads)
    if (fields.get('file') === 'one' && typeOf(request) !== FORM_OF_TEXTS)
      return await receiveRaw(request, schema, room, uploads)
    throw unsupported(request, acceptedBy(fields))
  } catch (error) {
    drain(request.raw)
    await discardUploads(uploads.values(), room.store)
    throw isCut(request.raw) ? new Problem('BODY_INCOMPLETE') : error
  }
}

async function receiveRaw(
  request: FastifyRequest,
  schema: TSchema,
  room: BodyRoom,
  uploads: Map<string, Upload>,
): Promise<Received> {
  const body = { ...optionsFrom(request.query as Texts, schema), file: { inputKey: 'upload:0' } }
  room.check?.(body)
  checkLength(request.headers['content-length'], room.maxBytes)
  const upload = await takeUpload(request.raw, uploadRoom(request, room))
  uploads.set('upload:0', upload)
  if (isCut(request.raw)) throw new Problem('BODY_INCOMPLETE')
  return { body, uploads, fingerprint: fingerprintOf(request, [upload.sha256 ?? '']) }
}

async function receiveForm(
  request: FastifyRequest,
  schema: TSchema,
  room: BodyRoom,
  uploads: Map<string, Upload>,
): Promise<Received> {
  const form = await readParts(request.raw, fileFieldsOf(schema), uploadRoom(request, room), uploads)
  const texts = { ...(request.query as Texts), ...form.texts }
  const body = { ...optionsFrom(texts, schema), ...form.options, ...form.files }
  room.check?.(body)
  const said = Object.entries(form.names).map(([key, name]) => [name, uploads.get(key)!.sha256])
  return { body, uploads, fingerprint: fingerprintOf(request, [JSON.stringify([form.texts, form.options, said])]) }
}

function unsupported(request: FastifyRequest, accepted: string[], header = 'Content-Type'): Problem {
  drain(request.raw)
  return new Problem('UNSUPPORTED_MEDIA_TYPE', { header, accepted })
}

function typeOf(request: FastifyRequest): string {
  return (request.headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase()
}

/** Bytes are hashed for the fingerprint alone. */
function uploadRoom(request: FastifyRequest, { store, maxBytes, memoryBytes }: BodyRoom): UploadRoom {
  return { store, maxBytes, memoryBytes, isHashed: isToldApart(request) }
}

function isCut(request: IncomingMessage): boolean {
  return request.destroyed && !request.complete
}

/** What is too large in a call of an operation is its inline content. */
function tooLarge({ routeOptions }: FastifyRequest, ceiling: number): Problem {
  return new Problem(routeOptions.config.isOperation ? 'INPUT_TOO_LARGE' : 'BODY_TOO_LARGE', { ceiling })
}

function checkLength(declared: string | undefined, maxBytes: number): void {
  if (Number(declared ?? 0) > maxBytes) throw new Problem('STORED_INPUT_TOO_LARGE', { ceiling: maxBytes })
}

function fingerprintOf(request: FastifyRequest, parts: readonly string[]): Buffer | undefined {
  return isToldApart(request) ? digestOf(request, parts) : undefined
}

/** Whether it matters if the same request comes again: under a key of its own, or with a payment that pays once. */
function isToldApart({ headers }: FastifyRequest): boolean {
  return (
    headers['idempotency-key'] !== undefined ||
    headers.authorization === undefined ||
    headers['payment-signature'] !== undefined ||
    headers['x-payment'] !== undefined
  )
}

/** The boundary of a form is new with every attempt, so of the content type only its essence counts. */
function digestOf(request: FastifyRequest, parts: readonly (string | Uint8Array)[]): Buffer {
  const hash = createHash('sha256').update(`${request.method}\n${request.url}\n${typeOf(request)}\n`)
  for (const part of parts) hash.update(part)
  return hash.digest()
}

async function readWhole(payload: Readable, request: FastifyRequest, maxBytes: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const chunks: Buffer[] = []
  let sizeBytes = 0
  const refuse = (): void => {
    payload.removeAllListeners('data')
    drain(payload)
    reject(tooLarge(request, maxBytes))
  }
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) refuse()
  payload.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    sizeBytes += chunk.length
    if (sizeBytes > maxBytes) refuse()
  })
  const cut = (): void => reject(new Problem('BODY_INCOMPLETE'))
  payload.on('end', () => {
    payload.off('close', cut)
    resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, sizeBytes))
  })
  payload.on('error', cut)
  payload.on('close', cut)
  return promise
}
