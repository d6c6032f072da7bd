import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { VisionConfig } from '../../../ops/providers/vision/settings.ts'
import { AZURE, GOOGLE, REKOGNITION } from './answers/vision.ts'

interface SeenCall {
  provider: 'rekognition' | 'google' | 'azure'
  /** The action of Rekognition, the features of Google, the path of Azure. */
  action: string
  headers: IncomingMessage['headers']
  body: Record<string, unknown>
  jpegs: Buffer[]
}

type Failure = 'throttled' | 'broken' | 'denied' | 'invalid-image' | 'silent' | 'not-json' | 'cut-off' | 'no-face'

/** Answers as Rekognition, Cloud Vision and Azure do, and fails as they do. */
export interface FakeVision extends AsyncDisposable {
  seen: SeenCall[]
  /** What is wrong with the next calls: the first with the first, and so on. */
  failures: (Failure | undefined)[]
  config(...providers: SeenCall['provider'][]): VisionConfig
}

const KEY = 'key-of-the-tests'

export async function openFakeVision(): Promise<FakeVision> {
  const seen: SeenCall[] = []
  const failures: FakeVision['failures'] = []
  const server = createServer((request, response) => void serve(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = await readCall(request)
    seen.push(call)
    const failure = failures.shift()
    if (failure === 'silent') return
    if (failure === 'cut-off') return void request.socket.destroy()
    const { status = 200, body } = failure ? (FAILURES[call.provider][failure] ?? { body: {} }) : answer(call)
    const type = call.provider === 'rekognition' ? 'application/x-amz-json-1.1' : 'application/json'
    response.writeHead(status, { 'content-type': type })
    response.end(failure === 'not-json' ? '<html>busy</html>' : JSON.stringify(body))
  }

  return {
    seen,
    failures,
    config: (...providers) => ({
      order: ['onnx', 'rekognition', 'google', 'azure'],
      comparesFaces: true,
      tellsDemographics: false,
      ...(providers.includes('rekognition') && {
        rekognition: {
          region: 'eu-west-1',
          endpoint: url,
          credentials: { accessKeyId: 'AKIATESTS', secretAccessKey: KEY },
        },
      }),
      ...(providers.includes('google') && { google: { url, key: KEY } }),
      ...(providers.includes('azure') && { azure: { url, key: KEY } }),
    }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function readCall(request: IncomingMessage): Promise<SeenCall> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const bytes = Buffer.concat(chunks)
  const { headers, url = '' } = request
  const target = headers['x-amz-target']
  if (typeof target === 'string') {
    const body = JSON.parse(bytes.toString()) as Record<string, { Bytes?: string }>
    const images = [body.Image, body.SourceImage, body.TargetImage].flatMap(image => image?.Bytes ?? [])
    const jpegs = images.map(image => Buffer.from(image, 'base64'))
    return { provider: 'rekognition', action: target.split('.')[1]!, headers, body, jpegs }
  }
  if (url.startsWith('/v1/images:annotate')) {
    const body = JSON.parse(bytes.toString()) as {
      requests: [{ image: { content: string }; features: { type: string }[] }]
    }
    const [{ image, features }] = body.requests
    const jpegs = [Buffer.from(image.content, 'base64')]
    return { provider: 'google', action: features.map(({ type }) => type).join(), headers, body, jpegs }
  }
  const isJson = headers['content-type'] === 'application/json'
  const body = isJson ? (JSON.parse(bytes.toString()) as { image: { content: string } }) : { image: { content: '' } }
  const jpegs = [isJson ? Buffer.from(body.image.content, 'base64') : bytes]
  return { provider: 'azure', action: url, headers, body, jpegs }
}

interface Reply {
  status?: number
  body: object
}

function answer({ provider, action, headers, jpegs }: SeenCall): Reply {
  if (!jpegs.every(jpeg => jpeg.readUInt16BE(0) === 0xffd8)) return { status: 400, body: { error: 'not a JPEG' } }
  if (provider === 'rekognition') {
    const isSigned = /^AWS4-HMAC-SHA256 Credential=AKIATESTS\//.test(headers.authorization ?? '')
    return isSigned
      ? { body: REKOGNITION[action] ?? {} }
      : { status: 400, body: { __type: 'UnrecognizedClientException' } }
  }
  const key = headers[provider === 'google' ? 'x-goog-api-key' : 'ocp-apim-subscription-key']
  if (key !== KEY) return { status: 401, body: { error: { code: '401' } } }
  if (provider === 'google') return { body: { responses: [GOOGLE[action]] } }
  const path = action.split('?')[0]!
  return AZURE[path] ? { body: AZURE[path] } : { status: 404, body: { error: { code: '404' } } }
}

const aws = (type: string, status = 400, message = 'as the tests want'): Reply => ({
  status,
  body: { __type: type, message },
})
const plain = (status: number, error: object = {}): Reply => ({
  status,
  body: { error: { code: String(status), ...error } },
})

/** How each of them says it. */
const FAILURES: Record<SeenCall['provider'], Partial<Record<Failure, Reply>>> = {
  rekognition: {
    throttled: aws('ThrottlingException'),
    broken: aws('InternalServerError', 500),
    denied: aws('AccessDeniedException'),
    'no-face': aws('InvalidParameterException', 400, 'Request has no faces in the source image'),
    'invalid-image': aws('InvalidImageFormatException'),
  },
  google: {
    throttled: plain(429),
    broken: plain(503),
    denied: plain(403),
    'invalid-image': { body: { responses: [{ error: { code: 3, message: 'Bad image data.' } }] } },
  },
  azure: {
    throttled: plain(429),
    broken: plain(503),
    denied: plain(403),
    'invalid-image': plain(400, { code: 'InvalidRequest', innererror: { code: 'InvalidImageSize' } }),
  },
}
