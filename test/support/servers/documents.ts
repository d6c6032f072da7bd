import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { DocumentConfig, DocumentProvider } from '../../../ops/providers/document/contract.ts'
import { describeAnalysis } from './azure-document-answers.ts'
import { TEXTRACT } from './textract-answers.ts'

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
    const isAzure = request.url!.startsWith('/documentintelligence/')
    const call = isAzure ? readAzureCall(request, bytes) : readTextractCall(request.headers, bytes)
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
  const features = /features=(\w+)/.exec(url)?.[1]
  return { provider: 'azure', action, headers, body: { features }, jpegs: [bytes] }
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

const azure = (status: number, code: string, inner?: string): Reply => ({
  status,
  body: { error: { code, message: 'as the tests want', ...(inner && { innererror: { code: inner } }) } },
})

function isJpeg(bytes: Buffer): boolean {
  return bytes.readUInt16BE(0) === 0xffd8
}

const aws = (type: string, status = 400): Reply => ({ status, body: { __type: type, message: 'as the tests want' } })

function answer(call: SeenPage): Reply {
  return call.provider === 'azure' ? answerAzure(call) : answerTextract(call)
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
}
