import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { TSchema } from 'typebox'
import { Problem } from '#kit'
import type { ObjectStore } from '../../../ops/providers/storage/contract.ts'
import type { Address, IncomingRequest, RequestWithBody } from '../../incoming-call.ts'
import { drain } from './drain.ts'
import { acceptedBy, fileFieldsOf } from './file-fields.ts'
import {
  contentTypeOf,
  digestRequest,
  fingerprintJson,
  needsFingerprint,
  rejectEncoded,
  rejectMediaType,
} from './json.ts'
import { readParts } from './multipart-parts.ts'
import { optionsFrom, type Texts } from './options.ts'
import { receiveUpload, type Upload, type UploadLimits } from './upload.ts'

/** A request's body, whether it was JSON, raw bytes or a form. */
export interface ReceivedBody {
  /** The JSON as sent; for the other forms the options, with `{ inputKey: 'upload:0' }` in place of a file. */
  body: unknown
  /** The files behind those keys. */
  uploads: ReadonlyMap<string, Upload>
  /** Distinguishes requests under one Idempotency-Key; of what is large only computed with such a key or a payment. */
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

/** A call without fields differs from others by its address and by what else is sent, `digest`. */
export function describeNoFields(
  request: RequestWithBody,
  { headers }: Address,
  digest?: string | Buffer,
): ReceivedBody {
  const { 'Idempotency-Key': _key, 'X-Dry-Run': _isDryRun, ...terms } = headers
  const parts = [JSON.stringify(terms), ...(digest === undefined ? [] : [digest])]
  return { body: {}, uploads: NO_UPLOADS, fingerprint: digestRequest(request, parts) }
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
  // The check fills in defaults, which are not what was sent.
  const fingerprint = fingerprintJson(request, body)
  limits.check?.(body)
  return { body, uploads: NO_UPLOADS, fingerprint }
}

export async function discardUploads(uploads: Iterable<Upload>, store: ObjectStore): Promise<void> {
  const keys = Array.from(uploads).flatMap(({ key }) => key ?? [])
  await Promise.all(keys.map(key => store.remove(key)))
}

async function receiveStream(request: RequestWithBody, schema: TSchema, limits: BodyLimits): Promise<ReceivedBody> {
  const fields = fileFieldsOf(schema)
  rejectEncoded(request)
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
  return { body, uploads, fingerprint: makeFingerprint(request, uploads, [upload.sha256 ?? '']) }
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
    fingerprint: makeFingerprint(request, uploads, [JSON.stringify([form.texts, form.options, fileHashes])]),
  }
}

/** Many bytes are only hashed if the fingerprint needs them. */
function uploadLimits(request: RequestWithBody, { callId, store, maxBytes, memoryBytes }: BodyLimits): UploadLimits {
  return { callId, store, maxBytes, memoryBytes, isHashed: needsFingerprint(request) }
}

function wasCutOff(request: IncomingMessage): boolean {
  return request.destroyed && !request.complete
}

function checkLength(declared: string | undefined, maxBytes: number): void {
  if (Number(declared ?? 0) > maxBytes) throw new Problem('STORED_INPUT_TOO_LARGE', { ceiling: maxBytes })
}

function makeFingerprint(
  request: IncomingRequest,
  uploads: ReadonlyMap<string, Upload>,
  parts: readonly string[],
): Buffer | undefined {
  const isHashed = Array.from(uploads.values()).every(({ sha256 }) => sha256 !== undefined)
  return isHashed ? digestRequest(request, parts) : undefined
}
