import { isAscii, isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Problem } from '#kit'
import { isNestedDeeper } from '../../../tasks/formats/json/depth.ts'
import type { IncomingRequest, RequestWithBody } from '../../incoming-call.ts'
import { drain } from './drain.ts'
import { rejectLostNumbers } from './numbers.ts'

const MAX_DEPTH = 64
/** Room for two inline files of the largest size, which base64 makes a third larger. */
const JSON_BODY_BYTES = 12 * 2 ** 20

/** What is hashed of every call, because its receipt names the hash; more is only where repeats must be recognised. */
export const HASHED_BYTES = 64 * 1024

/** Of the bytes of bodies that were parsed. */
const digests = new WeakMap<object, Buffer>()
/** The bytes of small bodies, which are hashed once it is known that the call is billed. */
const smallBodies = new WeakMap<object, Buffer>()

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
  app.addHook('preValidation', async request => {
    if (request.body instanceof Unreadable) throw request.body.reason
    if (request.routeOptions.config.isStreamed) rejectEncoded(request)
  })
}

async function readJson(request: IncomingRequest, payload: IncomingMessage, maxBytes: number): Promise<unknown> {
  rejectEncoded(request)
  const bytes = await readWholeBody(payload, request, maxBytes)
  if (request.routeOptions.config.isRaw) return bytes
  if (bytes.length === 0) return undefined
  const body = parseBody(bytes)
  if (!isReference(body)) return body
  if (needsFingerprint(request)) digests.set(body, digestRequest(request, [bytes]))
  else if (bytes.length <= HASHED_BYTES) smallBodies.set(body, bytes)
  return body
}

function isReference(body: unknown): body is object {
  return typeof body === 'object' && body !== null
}

/** Tells the request from others, by the bytes of its body. Of a body that is part of a larger one none are known. */
export function fingerprintJson(request: IncomingRequest, body: unknown): Buffer | undefined {
  const digest = isReference(body) ? digests.get(body) : undefined
  if (digest) return digest
  const bytes = isReference(body) ? smallBodies.get(body) : undefined
  const isSmall = Number(request.headers['content-length']) <= HASHED_BYTES
  if (bytes || isSmall || needsFingerprint(request)) return digestRequest(request, [bytes ?? JSON.stringify(body)])
  return undefined
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

export function rejectMediaType(
  request: Pick<RequestWithBody, 'raw'>,
  accepted: string[],
  header = 'Content-Type',
): Problem {
  drain(request.raw)
  return new Problem('UNSUPPORTED_MEDIA_TYPE', { header, accepted })
}

/** Bodies are taken as they are: a small one could unpack to any size. */
export function rejectEncoded(request: IncomingRequest): void {
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity')
    throw rejectMediaType(request, ['identity'], 'Content-Encoding')
}

export function contentTypeOf(request: IncomingRequest): string {
  return (request.headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase()
}

/** In a call of an operation it is the inline content that is too large. */
function tooLarge({ routeOptions }: IncomingRequest, ceiling: number): Problem {
  return new Problem(routeOptions.config.isOperation ? 'INPUT_TOO_LARGE' : 'BODY_TOO_LARGE', { ceiling })
}

/** Whether repeats of the request must be recognised: it has an idempotency key, or a payment that pays once. */
export function needsFingerprint({ headers }: IncomingRequest): boolean {
  return (
    headers['idempotency-key'] !== undefined ||
    headers.authorization === undefined ||
    headers['payment-signature'] !== undefined ||
    headers['x-payment'] !== undefined
  )
}

/** The boundary of a form changes with every attempt, so only the essence of the content type is hashed. */
export function digestRequest(request: IncomingRequest, parts: readonly (string | Uint8Array)[]): Buffer {
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

/** Parses a body. Refuses invalid UTF-8, deep nesting, and keys that could pollute a prototype. */
export function parseJson(bytes: Buffer): unknown {
  return parseText(readText(bytes))
}

/** What a number that a double cannot hold looks like. It may also stand in a text, so only the value tells. */
const MAY_LOSE = /[eE]\+?\d{3}|\d{16}/

/** The same for what is used as values, not as it was written. */
export function parseBody(bytes: Buffer): unknown {
  const text = readText(bytes)
  const value = parseText(text)
  if (MAY_LOSE.test(text)) rejectLostNumbers(text)
  return value
}

function readText(bytes: Buffer): string {
  if (isNestedDeeper(bytes, MAX_DEPTH))
    throw new Problem('INVALID_JSON', { reason: `It nests deeper than ${MAX_DEPTH}.` })
  if (isAscii(bytes)) return bytes.toString('latin1')
  if (!isUtf8(bytes)) throw new Problem('INVALID_JSON', { reason: 'It is not UTF-8.' })
  return bytes.toString('utf8')
}

function parseText(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new Problem('INVALID_JSON', { reason: placeOf(error) })
  }
  if (isSuspect(text)) checkKeys(value)
  return value
}

/** The parser's message quotes the body, which must not be logged; only the position is told. */
function placeOf(error: unknown): string {
  const place = /at position (\d+)/.exec(String(error))?.[1]
  return place === undefined ? 'It ends too early or is malformed.' : `It is malformed at byte ${place}.`
}

/** Keys may be written with escapes, so a body with escapes is checked too. */
function isSuspect(text: string): boolean {
  return text.includes('__proto__') || text.includes('constructor') || text.includes('\\u')
}

function checkKeys(value: unknown): void {
  const waiting = [value]
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (typeof next !== 'object' || next === null) continue
    if (Object.hasOwn(next, '__proto__') || isPoisonedConstructor(next)) {
      throw new Problem('INVALID_JSON', { reason: 'A key __proto__, or prototype in constructor, is refused.' })
    }
    for (const part of Object.values(next)) waiting.push(part)
  }
}

function isPoisonedConstructor(object: object): boolean {
  if (!Object.hasOwn(object, 'constructor')) return false
  const value: unknown = object.constructor
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype')
}
