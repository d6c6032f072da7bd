import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { Problem } from '#kit'
import type { ObjectStore } from '../../../ops/providers/storage/contract.ts'
import type { IncomingRequest, RequestWithBody } from '../../incoming-call.ts'
import type { Address } from '../billable.ts'
import { drain } from './drain.ts'
import { acceptedBy, fileFieldsOf } from './file-fields.ts'
import { parseJson } from './json.ts'
import { readParts } from './multipart-parts.ts'
import { optionsFrom, type Texts } from './options.ts'
import { receiveUpload, type Upload, type UploadLimits } from './upload.ts'

/** Room for two inline files of the largest size, which base64 makes a third larger. */
const JSON_BODY_BYTES = 12 * 2 ** 20

/** A request's body, whether it was JSON, raw bytes or a form. */
export interface ReceivedBody {
  /** The JSON as sent; for the other forms the options, with `{ inputKey: 'upload:0' }` in place of a file. */
  body: unknown
  /** The files behind those keys. */
  uploads: ReadonlyMap<string, Upload>
  /** Distinguishes requests under one Idempotency-Key; only computed with such a key or a payment. */
  fingerprint?: Buffer
}

interface BodyLimits {
  /** The call that the body belongs to. */
  callId: string
  store: ObjectStore
  /** `cputools.io.max_storage_ref_bytes`. */
  maxBytes: number
  /** Files up to this size stay in memory; larger for operations that may run in this process. */
  memoryBytes: number
  /** An absent body counts as `{}`. */
  isOptional?: boolean
  /** Called once when the body is known, if possible before its file is read. */
  check?(body: unknown): void
}

/** The default type of browsers and curl; it is never the type of a file. */
const URLENCODED_FORM = 'application/x-www-form-urlencoded'
const NO_UPLOADS: ReadonlyMap<string, Upload> = new Map()
/** Of the bytes of bodies that were parsed. */
const digests = new WeakMap<object, Buffer>()

/** Stands in for a body that could not be read, because a failing parser would make the server close the connection. */
class Unreadable {
  readonly reason: unknown

  constructor(reason: unknown) {
    this.reason = reason
  }
}

/** JSON is parsed on arrival, up to `maxBytes`; all other bodies stay streams until they are needed. */
export function registerBodies(app: FastifyInstance, maxBytes: number = JSON_BODY_BYTES): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', async (request: FastifyRequest, payload: IncomingMessage) => {
    if (request.routeOptions.config.isStreamed) return payload
    return readJson(request, payload, maxBytes).catch((error: unknown) => new Unreadable(error))
  })
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
  app.addHook('preValidation', async ({ body }) => {
    if (body instanceof Unreadable) throw body.reason
  })
}

async function readJson(request: IncomingRequest, payload: IncomingMessage, maxBytes: number): Promise<unknown> {
  if (request.headers['content-encoding'] !== undefined)
    throw rejectMediaType(request, ['identity'], 'Content-Encoding')
  const bytes = await readWholeBody(payload, request, maxBytes)
  if (request.routeOptions.config.isRaw) return bytes
  if (bytes.length === 0) return undefined
  const body = parseJson(bytes)
  if (isReference(body) && needsFingerprint(request)) digests.set(body, digestRequest(request, [bytes]))
  return body
}

function isReference(body: unknown): body is object {
  return typeof body === 'object' && body !== null
}

/** A call without fields differs from others by its address and by what else is sent, `digest`. */
export function describeNoFields(
  request: RequestWithBody,
  { headers }: Address,
  digest?: string | Buffer,
): ReceivedBody {
  const { 'Idempotency-Key': _key, 'X-Dry-Run': _isDryRun, ...terms } = headers
  const parts = [JSON.stringify(terms), ...(digest === undefined ? [] : [digest])]
  return { body: {}, uploads: NO_UPLOADS, fingerprint: makeFingerprint(request, parts) }
}

/** Turns the body of a call into values and uploads. The caller is known by now, because bytes take space. */
export async function receiveBody(
  request: RequestWithBody,
  schema: TSchema,
  limits: BodyLimits,
): Promise<ReceivedBody> {
  const body = request.body ?? (limits.isOptional ? {} : undefined)
  if (body instanceof Readable) return receiveStream(request, schema, limits)
  if (body === undefined) throw new Problem('EMPTY_BODY')
  // The check fills in defaults, which are not what was sent. Of a body that is part of a larger one no bytes are known.
  const fingerprint =
    (isReference(body) && digests.get(body)) ||
    (needsFingerprint(request) ? digestRequest(request, [JSON.stringify(body)]) : undefined)
  limits.check?.(body)
  return { body, uploads: NO_UPLOADS, fingerprint }
}

/** The body of a route that takes only JSON. */
export function jsonBody(request: Pick<RequestWithBody, 'body' | 'raw'>): unknown {
  if (request.body instanceof Readable) throw rejectMediaType(request, ['application/json'])
  return request.body
}

/** The body of a route that takes a stream, which is refused as soon as it is too large or `onBytes` throws. */
export async function readStreamedBody(
  request: RequestWithBody,
  maxBytes: number,
  onBytes?: (sizeBytes: number) => void,
): Promise<Buffer> {
  const { body } = request
  const bytes = body instanceof Readable ? await readWholeBody(body, request, maxBytes, onBytes) : Buffer.alloc(0)
  if (bytes.length === 0) throw new Problem('EMPTY_BODY')
  return bytes
}

export async function discardUploads(uploads: Iterable<Upload>, store: ObjectStore): Promise<void> {
  const keys = Array.from(uploads).flatMap(({ key }) => key ?? [])
  await Promise.all(keys.map(key => store.remove(key)))
}

async function receiveStream(request: RequestWithBody, schema: TSchema, limits: BodyLimits): Promise<ReceivedBody> {
  const fields = fileFieldsOf(schema)
  if (request.headers['content-encoding'] !== undefined)
    throw rejectMediaType(request, ['identity'], 'Content-Encoding')
  const uploads = new Map<string, Upload>()
  try {
    if (contentTypeOf(request) === 'multipart/form-data' && fields.size > 0)
      return await receiveForm(request, schema, limits, uploads)
    if (fields.get('file') === 'one' && contentTypeOf(request) !== URLENCODED_FORM)
      return await receiveRaw(request, schema, limits, uploads)
    throw rejectMediaType(request, acceptedBy(fields))
  } catch (error) {
    drain(request.raw)
    await discardUploads(uploads.values(), limits.store)
    throw wasCutOff(request.raw) ? new Problem('BODY_INCOMPLETE') : error
  }
}

async function receiveRaw(
  request: RequestWithBody,
  schema: TSchema,
  limits: BodyLimits,
  uploads: Map<string, Upload>,
): Promise<ReceivedBody> {
  const body = { ...optionsFrom(request.query as Texts, schema), file: { inputKey: 'upload:0' } }
  limits.check?.(body)
  checkLength(request.headers['content-length'], limits.maxBytes)
  const upload = await receiveUpload(request.raw, uploadLimits(request, limits))
  uploads.set('upload:0', upload)
  if (wasCutOff(request.raw)) throw new Problem('BODY_INCOMPLETE')
  return { body, uploads, fingerprint: makeFingerprint(request, [upload.sha256 ?? '']) }
}

async function receiveForm(
  request: RequestWithBody,
  schema: TSchema,
  limits: BodyLimits,
  uploads: Map<string, Upload>,
): Promise<ReceivedBody> {
  const form = await readParts(request.raw, fileFieldsOf(schema), uploadLimits(request, limits), uploads)
  const texts = { ...(request.query as Texts), ...form.texts }
  const body = { ...optionsFrom(texts, schema), ...form.options, ...form.files }
  limits.check?.(body)
  const fileHashes = Object.entries(form.names).map(([key, name]) => [name, uploads.get(key)!.sha256])
  return {
    body,
    uploads,
    fingerprint: makeFingerprint(request, [JSON.stringify([form.texts, form.options, fileHashes])]),
  }
}

function rejectMediaType(request: Pick<RequestWithBody, 'raw'>, accepted: string[], header = 'Content-Type'): Problem {
  drain(request.raw)
  return new Problem('UNSUPPORTED_MEDIA_TYPE', { header, accepted })
}

function contentTypeOf(request: IncomingRequest): string {
  return (request.headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase()
}

/** Bytes are only hashed if the fingerprint needs them. */
function uploadLimits(request: RequestWithBody, { callId, store, maxBytes, memoryBytes }: BodyLimits): UploadLimits {
  return { callId, store, maxBytes, memoryBytes, isHashed: needsFingerprint(request) }
}

function wasCutOff(request: IncomingMessage): boolean {
  return request.destroyed && !request.complete
}

/** In a call of an operation it is the inline content that is too large. */
function tooLarge({ routeOptions }: IncomingRequest, ceiling: number): Problem {
  return new Problem(routeOptions.config.isOperation ? 'INPUT_TOO_LARGE' : 'BODY_TOO_LARGE', { ceiling })
}

function checkLength(declared: string | undefined, maxBytes: number): void {
  if (Number(declared ?? 0) > maxBytes) throw new Problem('STORED_INPUT_TOO_LARGE', { ceiling: maxBytes })
}

function makeFingerprint(request: IncomingRequest, parts: readonly (string | Uint8Array)[]): Buffer | undefined {
  return needsFingerprint(request) ? digestRequest(request, parts) : undefined
}

/** Whether repeats of the request must be recognised: it has an idempotency key, or a payment that pays once. */
function needsFingerprint({ headers }: IncomingRequest): boolean {
  return (
    headers['idempotency-key'] !== undefined ||
    headers.authorization === undefined ||
    headers['payment-signature'] !== undefined ||
    headers['x-payment'] !== undefined
  )
}

/** The boundary of a form changes with every attempt, so only the essence of the content type is hashed. */
function digestRequest(request: IncomingRequest, parts: readonly (string | Uint8Array)[]): Buffer {
  const hash = createHash('sha256').update(`${request.method}\n${request.url}\n${contentTypeOf(request)}\n`)
  for (const part of parts) hash.update(part)
  return hash.digest()
}

async function readWholeBody(
  payload: Readable,
  request: IncomingRequest,
  maxBytes: number,
  onBytes?: (sizeBytes: number) => void,
): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const chunks: Buffer[] = []
  let sizeBytes = 0
  const refuse = (reason: unknown): void => {
    payload.removeAllListeners('data')
    drain(payload)
    reject(reason)
  }
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) refuse(tooLarge(request, maxBytes))
  payload.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    sizeBytes += chunk.length
    try {
      if (sizeBytes > maxBytes) throw tooLarge(request, maxBytes)
      onBytes?.(chunk.length)
    } catch (error) {
      refuse(error)
    }
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
