import { setTimeout as sleep } from 'node:timers/promises'

export interface Answer {
  status: number
  headers: Headers
  bytes: Buffer
  // biome-ignore lint/suspicious/noExplicitAny: each kind of call reads the fields that it expects.
  body: any
}

export interface Call {
  path: string
  method?: 'GET' | 'POST'
  /** An object is sent as JSON, bytes as they are. */
  body?: object | Buffer
  key?: string
  headers?: Record<string, string>
  /** The whole address, for what is not sent to the service. */
  url?: string
  isDone?: (answer: Answer) => boolean
}

/** A client that is not answered in this time asks again, perhaps another api. */
const PATIENCE_MS = 6_000
const FIRST_WAIT_MS = 100
const MAX_WAIT_MS = 1_000
const ANSWERED_WITHIN_MS = 90_000
/** What the clients of the service repeat: refused for now, still under way, or broken on the way. */
const REPEATED = new Set([0, 429, 500, 502, 503, 504])

/** Calls under one key until an answer is final, as the clients of the service do. */
export async function insist(origin: string, apiKey: string, call: Call): Promise<Answer> {
  const { isDone = isFinal } = call
  const giveUpAtMs = Date.now() + ANSWERED_WITHIN_MS
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, MAX_WAIT_MS)) {
    const answer = await send(origin, apiKey, call)
    if (answer?.status === 500) throw new Error(`an internal error: ${answer.bytes}`)
    if (answer && isDone(answer)) return answer
    if (Date.now() > giveUpAtMs) throw new Error(`not answered; the last was ${answer?.status} ${answer?.bytes}`)
    await sleep(waitMs * (0.5 + Math.random()))
  }
}

export function isFinal({ status, body }: Answer): boolean {
  if (status === 202 || REPEATED.has(status)) return false
  return !(status === 409 && body?.code === 'IDEMPOTENCY_IN_FLIGHT')
}

async function send(origin: string, apiKey: string, call: Call): Promise<Answer | undefined> {
  const { path, method = 'POST', body, key, url, headers } = call
  const isForm = body instanceof FormData
  const isJson = body !== undefined && !Buffer.isBuffer(body) && !isForm
  try {
    const response = await fetch(url ?? origin + path, {
      method,
      headers: {
        ...(url === undefined && { authorization: `Bearer ${apiKey}` }),
        ...(isJson && { 'content-type': 'application/json' }),
        ...(key !== undefined && { 'idempotency-key': key }),
        ...headers,
      },
      body: (isJson ? JSON.stringify(body) : body) as RequestInit['body'],
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    return { status: response.status, headers: response.headers, bytes, body: parseJson(bytes) }
  } catch {
    return undefined
  }
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return undefined
  }
}
