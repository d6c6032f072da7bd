import { createVerify, generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { DocumentProvider } from '../../../ops/providers/document/contract.ts'
import type { DocumentConfig } from '../../../ops/providers/document/settings.ts'
import { describeAnalysis } from './answers/azure-documents.ts'
import { GOOGLE_DOCUMENTS } from './answers/google-documents.ts'
import { TEXTRACT } from './answers/textract.ts'

interface SeenPage {
  provider: DocumentProvider['name']
  /** What was asked for, as the provider names it. */
  action: string
  headers: IncomingMessage['headers']
  body: Record<string, unknown>
  jpegs: Buffer[]
}

type Failure = 'throttled' | 'broken' | 'denied' | 'invalid-page' | 'silent' | 'not-json' | 'cut-off' | 'empty'

/** Answers as the providers of document AI do, and fails as they do. */
export interface FakeDocuments extends AsyncDisposable {
  seen: SeenPage[]
  /** What is wrong with the next calls: the first with the first, and so on. */
  failures: (Failure | undefined)[]
  /** The models of Azure that recognise nothing. */
  blindModels: Set<string>
  config(...providers: DocumentProvider['name'][]): DocumentConfig
}

interface Reply {
  status?: number
  headers?: Record<string, string>
  body: unknown
}

const KEY = 'key-of-the-tests'

export async function openFakeDocuments(): Promise<FakeDocuments> {
  const seen: SeenPage[] = []
  const failures: FakeDocuments['failures'] = []
  const blindModels = new Set<string>()
  let polls = 0
  const server = createServer((request, response) => void serve(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const bytes = await readBody(request)
    if (request.method === 'GET') {
      // Results are there when they are asked for the second time.
      polls += 1
      return send(response, answerAzureResult(request, polls, blindModels))
    }
    if (request.url === '/token') return send(response, issueToken(bytes))
    const call = readCall(request, bytes)
    seen.push(call)
    const failure = failures.shift()
    if (failure === 'silent') return
    if (failure === 'cut-off') return void request.socket.destroy()
    if (failure === 'not-json') return send(response, { body: undefined })
    send(response, failure ? failAs(call.provider, failure) : answer(call))
  }

  return {
    seen,
    failures,
    blindModels,
    config: (...providers) => ({
      ...(providers.includes('google') && { google: describeGoogle(url) }),
      ...(providers.includes('azure') && { azure: { url, key: KEY } }),
      order: [...providers, 'local'],
      ...(providers.includes('textract') && {
        textract: {
          region: 'eu-west-1',
          endpoint: url,
          credentials: { accessKeyId: 'AKIATESTS', secretAccessKey: KEY },
        },
      }),
    }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function describeGoogle(url: string): NonNullable<DocumentConfig['google']> {
  const privateKey = ACCOUNT_KEYS.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const name = (id: string) => `projects/tests/locations/eu/processors/${id}`
  return {
    url,
    account: { email: EMAIL, privateKey, tokenUrl: `${url}/token` },
    processors: { ocr: name('ocr'), form: name('form'), invoice: name('invoice'), licence: name('licence') },
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

function send(response: ServerResponse, { status = 200, headers, body }: Reply): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(body === undefined ? '<html>busy</html>' : JSON.stringify(body))
}

function readTextractCall(headers: IncomingMessage['headers'], bytes: Buffer): SeenPage {
  const body = JSON.parse(bytes.toString()) as { Document?: { Bytes: string }; DocumentPages?: { Bytes: string }[] }
  const pages = body.DocumentPages ?? [body.Document!]
  const jpegs = pages.map(({ Bytes }) => Buffer.from(Bytes, 'base64'))
  const action = String(headers['x-amz-target']).split('.')[1]!
  return { provider: 'textract', action, headers, body: body as Record<string, unknown>, jpegs }
}

function answerTextract({ action, headers, jpegs }: SeenPage): Reply {
  const isSigned = /^AWS4-HMAC-SHA256 Credential=AKIATESTS\/\d+\/eu-west-1\/textract\//.test(
    headers.authorization ?? '',
  )
  if (!isSigned) return aws('UnrecognizedClientException')
  if (!jpegs.every(isJpeg)) return aws('UnsupportedDocumentException')
  return { body: TEXTRACT[action] ?? {} }
}

function readAzureCall({ headers, url = '' }: IncomingMessage, bytes: Buffer): SeenPage {
  const action = /documentModels\/([\w-]+):analyze\?api-version=2024-11-30/.exec(url)?.[1] ?? url
  const { features, locale } = Object.fromEntries(new URL(url, 'http://azure').searchParams)
  return { provider: 'azure', action, headers, body: { features, locale }, jpegs: [bytes] }
}

function answerAzure({ action, headers, jpegs }: SeenPage): Reply {
  if (headers['ocp-apim-subscription-key'] !== KEY) return azure(401, '401')
  if (!jpegs.every(isJpeg)) return azure(400, 'InvalidRequest', 'UnsupportedContent')
  // The address has another host, as behind a gateway; the key must not be sent there.
  const path = `https://elsewhere.example/documentintelligence/documentModels/${action}/analyzeResults/r-1`
  return { status: 202, headers: { 'operation-location': `${path}?api-version=2024-11-30` }, body: {} }
}

function answerAzureResult(
  { headers, url = '' }: IncomingMessage,
  polls: number,
  blindModels: ReadonlySet<string>,
): Reply {
  const model = /documentModels\/([\w-]+)\/analyzeResults\/r-1\?/.exec(url)?.[1] ?? ''
  if (headers['ocp-apim-subscription-key'] !== KEY) return azure(401, '401')
  if (polls % 2 === 1) return { body: { status: 'running' } }
  return { body: { status: 'succeeded', analyzeResult: describeAnalysis(model, blindModels.has(model)) } }
}

const ACCOUNT_KEYS = generateKeyPairSync('rsa', { modulusLength: 2048 })
const EMAIL = 'robot@tests.example'
const TOKEN = 'token-of-the-tests'

/** As Google does for the signed claims of a service account. */
function issueToken(bytes: Buffer): Reply {
  const form = new URLSearchParams(bytes.toString())
  const [head = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.')
  const isSigned = createVerify('RSA-SHA256')
    .update(`${head}.${claims}`)
    .verify(ACCOUNT_KEYS.publicKey, signature, 'base64url')
  const { iss, aud } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, string>
  if (!isSigned || iss !== EMAIL || !aud?.endsWith('/token')) return { status: 400, body: { error: 'invalid_grant' } }
  return { body: { access_token: TOKEN, expires_in: 3599, token_type: 'Bearer' } }
}

function readGoogleCall({ headers, url = '' }: IncomingMessage, bytes: Buffer): SeenPage {
  const body = JSON.parse(bytes.toString()) as { rawDocument: { content: string; mimeType: string } }
  const action = /\/processors\/(\w+):process$/.exec(url)?.[1] ?? url
  const jpegs = [Buffer.from(body.rawDocument.content, 'base64')]
  return { provider: 'google', action, headers, body: body as Record<string, unknown>, jpegs }
}

function answerGoogle({ action, headers, jpegs }: SeenPage): Reply {
  if (headers.authorization !== `Bearer ${TOKEN}`) return google(401, 'UNAUTHENTICATED')
  if (!jpegs.every(isJpeg)) return google(400, 'INVALID_ARGUMENT', 'Unsupported input document.')
  const document = GOOGLE_DOCUMENTS[action]
  return document ? { body: { document } } : google(404, 'NOT_FOUND')
}

const google = (code: number, status: string, message = 'as the tests want'): Reply => ({
  status: code,
  body: { error: { code, status, message } },
})

const azure = (status: number, code: string, inner?: string): Reply => ({
  status,
  body: { error: { code, message: 'as the tests want', ...(inner && { innererror: { code: inner } }) } },
})

function isJpeg(bytes: Buffer): boolean {
  return bytes.readUInt16BE(0) === 0xffd8
}

const aws = (type: string, status = 400): Reply => ({ status, body: { __type: type, message: 'as the tests want' } })

function readCall(request: IncomingMessage, bytes: Buffer): SeenPage {
  const { url = '', headers } = request
  if (url.startsWith('/documentintelligence/')) return readAzureCall(request, bytes)
  return url.startsWith('/v1/projects/') ? readGoogleCall(request, bytes) : readTextractCall(headers, bytes)
}

const ANSWERS = { textract: answerTextract, azure: answerAzure, google: answerGoogle }

function answer(call: SeenPage): Reply {
  return ANSWERS[call.provider](call)
}

function failAs(provider: SeenPage['provider'], failure: Failure): Reply {
  return FAILURES[provider][failure] ?? { body: {} }
}

/** How each of them says it. */
const FAILURES: Record<DocumentProvider['name'], Partial<Record<Failure, Reply>>> = {
  textract: {
    throttled: aws('ThrottlingException'),
    broken: aws('InternalServerError', 500),
    denied: aws('AccessDeniedException'),
    'invalid-page': aws('BadDocumentException'),
  },
  azure: {
    throttled: azure(429, '429'),
    broken: azure(503, 'ServiceUnavailable'),
    denied: azure(403, '403'),
    'invalid-page': azure(400, 'InvalidRequest', 'InvalidContent'),
  },
  google: {
    throttled: google(429, 'RESOURCE_EXHAUSTED'),
    broken: google(503, 'UNAVAILABLE'),
    denied: google(403, 'PERMISSION_DENIED'),
    'invalid-page': google(400, 'INVALID_ARGUMENT', 'Document is corrupted.'),
  },
}
