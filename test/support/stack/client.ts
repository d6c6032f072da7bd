import type { Ticket } from '../../../sql/job.ts'
import { eventually } from '../machine/eventually.ts'
import {
  createResponseCheck,
  isJson,
  type JsonResponse,
  type OpenApi,
  type ResponseCheck,
} from './described-response.ts'

/** A response: its body as text, and parsed if it is JSON. */
export interface Answer {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: each test reads the fields of the answer that it expects.
  body: any
}

interface RequestOptions {
  method?: string
  headers?: Record<string, string>
  /** An object is sent as JSON, text and bytes as they are. */
  body?: unknown
}

/** A caller with or without an API key. */
export interface Client {
  request(path: string, options?: RequestOptions): Promise<Answer>
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>
  get(path: string): Promise<Answer>
  delete(path: string): Promise<Answer>
  /** Waits until a job has ended. */
  waitForEnd(id: string, withinMs?: number): Promise<Ticket & { result?: unknown; error?: { code: string } }>
  /** Waits until a job runs. */
  waitForStart(id: string): Promise<void>
}

export function createClient(url: string, key?: string): Client {
  const request: Client['request'] = async (path, { method = 'GET', headers = {}, body } = {}) => {
    const isPlain = body === undefined || typeof body === 'string' || body instanceof Uint8Array
    const answer = await fetch(url + path, {
      method,
      headers: {
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: (isPlain ? body : JSON.stringify(body)) as RequestInit['body'],
    })
    const text = await answer.text()
    const parsed = { status: answer.status, headers: answer.headers, text, body: parseJson(text) }
    if (isJson(answer.headers.get('content-type'))) await checkAnswer(url, { method, path, ...parsed })
    return parsed
  }
  const get: Client['get'] = path => request(path)
  const status = async (id: string) => (await get(`/v1/jobs/${id}`)).body as Ticket
  return {
    request,
    get,
    post: (path, body, headers) => request(path, { method: 'POST', body, headers }),
    delete: path => request(path, { method: 'DELETE' }),
    waitForEnd: (id, withinMs) =>
      eventually(
        `the end of job ${id}`,
        async () => {
          const job = (await get(`/v1/jobs/${id}?wait=5`).catch(() => undefined))?.body as Ticket | undefined
          return job?.finishedAt !== undefined && job
        },
        withinMs,
      ),
    waitForStart: async id => {
      const job = await eventually(`job ${id} to run`, async () => {
        const ticket = await status(id)
        return ticket.status !== 'submitted' && ticket
      })
      if (job.status !== 'running') throw new Error(`the job ended before it was seen running: ${JSON.stringify(job)}`)
    },
  }
}

const checks = new Map<string, Promise<ResponseCheck>>()

/** Compares an answer with the description that its service gives of itself, if that can be read. */
async function checkAnswer(url: string, answer: JsonResponse): Promise<void> {
  const check = checks.get(url) ?? loadCheck(url)
  checks.set(url, check)
  // A test may have ended the service since; the description is read again for the next answer.
  const fault = await check.then(
    find => find(answer),
    () => void checks.delete(url),
  )
  if (fault) throw new Error(fault)
}

async function loadCheck(url: string): Promise<ResponseCheck> {
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as OpenApi
  return createResponseCheck(document)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
