import type { Ticket } from '../../sql/job.ts'
import { eventually } from './until.ts'

/** What came back: the body as text, and read as JSON where it is. */
export interface Answer {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: an answer is looked into, field by field, by the test that asked.
  body: any
}

export interface Asked {
  method?: string
  headers?: Record<string, string>
  /** An object goes as JSON, text and bytes as they are. */
  body?: unknown
}

/** A caller with a key of its own, or with none. */
export interface Client {
  ask(path: string, asked?: Asked): Promise<Answer>
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>
  get(path: string): Promise<Answer>
  delete(path: string): Promise<Answer>
  /** Waits until a job has ended. */
  ended(id: string, withinMs?: number): Promise<Ticket & { result?: unknown; error?: { code: string } }>
  /** Waits until a job runs. */
  begun(id: string): Promise<void>
}

export function clientOf(url: string, key?: string): Client {
  const ask: Client['ask'] = async (path, { method = 'GET', headers = {}, body } = {}) => {
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
    return { status: answer.status, headers: answer.headers, text, body: jsonOr(text) }
  }
  const get: Client['get'] = path => ask(path)
  const status = async (id: string) => (await get(`/v1/jobs/${id}`)).body as Ticket
  return {
    ask,
    get,
    post: (path, body, headers) => ask(path, { method: 'POST', body, headers }),
    delete: path => ask(path, { method: 'DELETE' }),
    ended: (id, withinMs) =>
      eventually(
        `the end of job ${id}`,
        async () => {
          const job = (await get(`/v1/jobs/${id}?wait=5`).catch(() => undefined))?.body as Ticket | undefined
          return job?.finishedAt !== undefined && job
        },
        withinMs,
      ),
    begun: async id => {
      const job = await eventually(`job ${id} to run`, async () => {
        const ticket = await status(id)
        return ticket.status !== 'submitted' && ticket
      })
      if (job.status !== 'running')
        throw new Error(`the job was over before it was seen to run: ${JSON.stringify(job)}`)
    },
  }
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
