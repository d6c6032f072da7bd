import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { Busboy } from '@fastify/busboy'
import { type Credentials, S3Error, verifyForm, verifyRequest } from './s3-signature.ts'

interface StoredObject {
  bytes: Buffer
  contentType: string
  modifiedAt: Date
}

export interface S3Server extends AsyncDisposable {
  url: string
  bucket: string
  keys: Credentials
  objects: Map<string, StoredObject>
  /** Multi-part uploads that were neither completed nor aborted. */
  uploads: Map<string, { contentType: string; parts: Map<number, Buffer> }>
  /** Added to the clock of the server. */
  setClockAhead(ms: number): void
  /** Answers the next matching request with this status. */
  failNext(matches: (request: IncomingMessage) => boolean, status: number): void
}

const BUCKET = 'coinop'

/** A small in-memory S3 that verifies the signatures of headers, URLs and forms. */
export async function startS3Server(host = '127.0.0.1'): Promise<S3Server> {
  const keys = { accessKeyId: 'AKIATEST', secretAccessKey: randomUUID(), region: 'eu-test-1' }
  const state: State = { keys, objects: new Map(), uploads: new Map(), aheadMs: 0, failures: [] }
  const server = createServer((request, response) => {
    answer(state, request, response).catch(error => sendError(response, error))
  })
  await new Promise<void>(resolve => server.listen(0, host, resolve))
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    bucket: BUCKET,
    keys,
    objects: state.objects,
    uploads: state.uploads,
    setClockAhead: ms => {
      state.aheadMs = ms
    },
    failNext: (matches, status) => state.failures.push({ matches, status }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

interface State extends Pick<S3Server, 'keys' | 'objects' | 'uploads'> {
  aheadMs: number
  failures: { matches(request: IncomingMessage): boolean; status: number }[]
}

async function answer(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readBytes(request)
  const failure = state.failures.findIndex(({ matches }) => matches(request))
  if (failure >= 0) throw new S3Error(state.failures.splice(failure, 1)[0]!.status, 'InternalError')
  const { pathname, searchParams } = new URL(request.url!, 'http://s3')
  const [, bucket, ...rest] = decodeURIComponent(pathname).split('/')
  const key = rest.join('/')
  if (bucket !== BUCKET) throw new S3Error(404, 'NoSuchBucket')
  const isForm = request.method === 'POST' && request.headers['content-type']?.startsWith('multipart/form-data')
  if (isForm) return handleForm(state, request, body, response)
  verifyRequest(request, body, state.keys, Date.now() + state.aheadMs)
  const s3Request: S3Request = { state, key, query: searchParams, body, request, response }
  const action = ACTIONS[`${request.method}${nameAction(s3Request)}`]
  if (!action) throw new S3Error(405, 'MethodNotAllowed')
  action(s3Request)
}

interface S3Request {
  state: State
  key: string
  query: URLSearchParams
  body: Buffer
  request: IncomingMessage
  response: ServerResponse
}

function nameAction({ key, query }: S3Request): string {
  if (key === '') return ' bucket'
  if (query.has('uploads')) return ' uploads'
  return query.has('uploadId') ? ' upload' : ''
}

const ACTIONS: Record<string, (request: S3Request) => void> = {
  'HEAD bucket': ({ response }) => response.writeHead(200).end(),
  'GET bucket': list,
  PUT({ state, key, body, request, response }) {
    rejectIfExists(state, key, request)
    storeObject(state, key, body, request.headers['content-type'])
    response.writeHead(200, { etag: computeEtag(body) }).end()
  },
  GET: readObject,
  HEAD: readObject,
  DELETE({ state, key, response }) {
    state.objects.delete(key)
    response.writeHead(204).end()
  },
  'POST uploads'({ state, key, request, response }) {
    const id = randomUUID()
    state.uploads.set(id, { contentType: request.headers['content-type'] ?? 'binary/octet-stream', parts: new Map() })
    const inner = `<Bucket>${BUCKET}</Bucket><Key>${key}</Key><UploadId>${id}</UploadId>`
    sendXml(response, `<InitiateMultipartUploadResult>${inner}</InitiateMultipartUploadResult>`)
  },
  'PUT upload'({ query, body, response, state }) {
    findUpload(state, query).parts.set(Number(query.get('partNumber')), body)
    response.writeHead(200, { etag: computeEtag(body) }).end()
  },
  'POST upload': completeUpload,
  'DELETE upload'({ state, query, response }) {
    state.uploads.delete(query.get('uploadId')!)
    response.writeHead(204).end()
  },
}

function completeUpload({ state, key, query, body, request, response }: S3Request): void {
  rejectIfExists(state, key, request)
  const { parts, contentType } = findUpload(state, query)
  const named = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber>/g)].map(match => Number(match[1]))
  const pieces = named.map(number => parts.get(number))
  if (pieces.some(piece => !piece)) throw new S3Error(400, 'InvalidPart')
  if (pieces.slice(0, -1).some(piece => piece!.length < 5 * 2 ** 20)) throw new S3Error(400, 'EntityTooSmall')
  storeObject(state, key, Buffer.concat(pieces as Buffer[]), contentType)
  state.uploads.delete(query.get('uploadId')!)
  sendXml(response, `<CompleteMultipartUploadResult><Key>${key}</Key></CompleteMultipartUploadResult>`)
}

function readObject({ state, key, query, request, response }: S3Request): void {
  const stored = state.objects.get(key)
  if (!stored) throw new S3Error(404, 'NoSuchKey')
  const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '')
  const bytes = range ? stored.bytes.subarray(Number(range[1]), Number(range[2]) + 1) : stored.bytes
  const disposition = query.get('response-content-disposition')
  response.writeHead(range ? 206 : 200, {
    'content-type': query.get('response-content-type') ?? stored.contentType,
    'content-length': bytes.length,
    ...(disposition && { 'content-disposition': disposition }),
  })
  response.end(request.method === 'HEAD' ? undefined : bytes)
}

/** Two keys per page, so that a listing needs several pages. */
function list({ state, query, response }: S3Request): void {
  const after = query.get('continuation-token') ?? ''
  const keys = [...state.objects.keys()].sort().filter(key => key.startsWith(query.get('prefix') ?? '') && key > after)
  const page = keys.slice(0, 2)
  const contents = page.map(key => {
    const at = state.objects.get(key)!.modifiedAt.toISOString()
    return `<Contents><Key>${key}</Key><LastModified>${at}</LastModified></Contents>`
  })
  const hasMore = keys.length > page.length
  const next = hasMore ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : ''
  sendXml(
    response,
    `<ListBucketResult><IsTruncated>${hasMore}</IsTruncated>${next}${contents.join('')}</ListBucketResult>`,
  )
}

async function handleForm(
  state: State,
  request: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
): Promise<void> {
  const fields = new Map<string, string>()
  const files: Buffer[] = []
  const pending: Promise<void>[] = []
  const busboy = Busboy({ headers: { ...request.headers, 'content-type': request.headers['content-type']! } })
  busboy.on('field', (name, value) => fields.set(name.toLowerCase(), value))
  busboy.on('file', (_name, file) => {
    pending.push(readBytes(file).then(bytes => void files.push(bytes)))
  })
  await new Promise((resolve, reject) => {
    busboy.on('finish', resolve).on('error', reject)
    Readable.from([body]).pipe(busboy)
  })
  await Promise.all(pending)
  if (files.length !== 1) throw new S3Error(400, 'IncorrectNumberOfFilesInPostRequest')
  verifyForm(fields, BUCKET, files[0]!.length, state.keys, Date.now() + state.aheadMs)
  storeObject(state, fields.get('key')!, files[0]!, fields.get('content-type'))
  response.writeHead(204).end()
}

function rejectIfExists(state: State, key: string, request: IncomingMessage): void {
  if (request.headers['if-none-match'] === '*' && state.objects.has(key)) throw new S3Error(412, 'PreconditionFailed')
}

function findUpload(state: State, query: URLSearchParams) {
  const upload = state.uploads.get(query.get('uploadId') ?? '')
  if (!upload) throw new S3Error(404, 'NoSuchUpload')
  return upload
}

function storeObject(state: State, key: string, bytes: Buffer, contentType = 'binary/octet-stream'): void {
  state.objects.set(key, { bytes, contentType, modifiedAt: new Date() })
}

function computeEtag(bytes: Buffer): string {
  return `"${createHash('md5').update(bytes).digest('hex')}"`
}

function sendXml(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'application/xml' }).end(`<?xml version="1.0"?>${text}`)
}

function sendError(response: ServerResponse, error: unknown): void {
  const { status, code } = error instanceof S3Error ? error : new S3Error(500, String(error))
  response.writeHead(status, { 'content-type': 'application/xml' }).end(`<Error><Code>${code}</Code></Error>`)
}

async function readBytes(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}
