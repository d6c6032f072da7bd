import { setTimeout as sleep } from 'node:timers/promises'
import { BrokenPromise } from './broken-promise.ts'
import type { History } from './history.ts'
import type { Random } from './random.ts'
import type { Tally } from './tally.ts'

export interface Answer {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: each story reads the fields of the answer that it expects.
  body: any
}

interface Asked {
  /** The key or object in whose history the call is noted. */
  subject: string
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  body?: unknown
  key?: string
  headers?: Record<string, string>
}

interface CustomerOptions {
  urls: readonly string[]
  accountId: string
  apiKey: string
  creditMicros: bigint
  random: Random
  history: History
  tally: Tally
}

/** A client that is not answered gives up after this time and asks again, as it does in life. */
const PATIENCE_MS = 12_000
const ANSWERED_WITHIN_MS = 180_000
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 1_000
const NOTED_CHARS = 120

/** One account, seen from outside: it calls either api and adds up what it is told that it was charged. */
export class Customer {
  readonly accountId: string
  readonly creditMicros: bigint
  readonly #options: CustomerOptions
  /** By job, so that what a repeat says again is not counted again. */
  readonly #charges = new Map<string, bigint>()

  constructor(options: CustomerOptions) {
    this.#options = options
    this.accountId = options.accountId
    this.creditMicros = options.creditMicros
  }

  /** Undefined if the connection broke or the answer took too long. */
  async send(asked: Asked): Promise<Answer | undefined> {
    const { urls, random, history, tally, apiKey } = this.#options
    const { subject, method = 'POST', path, body, key, headers } = asked
    const url = random.pick(urls) + path
    const init = {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(key !== undefined && { 'idempotency-key': key }),
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(PATIENCE_MS),
    }
    const answer = await readAnswer(url, init).catch((error: Error) => error)
    const what = `${method} ${path}${key === undefined ? '' : ` under ${key}`}`
    if (answer instanceof Error) {
      tally.count('calls', 'no answer')
      history.add(subject, `${what} was not answered: ${describeFailure(answer)}`)
      return undefined
    }
    tally.count('calls', `${Math.floor(answer.status / 100)}xx`)
    history.add(subject, `${what} was answered ${answer.status} ${shorten(answer.text)}`)
    if (answer.status === 500 && answer.body?.code === 'INTERNAL')
      throw new BrokenPromise('No call is answered with an internal error.', subject, answer.text)
    return answer
  }

  /** Asks again until an answer is final, as a careful client does it. */
  async insist(asked: Asked, isFinal: (answer: Answer) => boolean = isAnswered): Promise<Answer> {
    const giveUpAtMs = Date.now() + ANSWERED_WITHIN_MS
    let last: Answer | undefined
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      const answer = await this.send(asked)
      if (answer && isFinal(answer)) return answer
      last = answer ?? last
      if (Date.now() > giveUpAtMs) {
        const detail = last ? `${last.status} ${last.text}` : 'never answered'
        throw new BrokenPromise('A call that is repeated is answered within three minutes.', asked.subject, detail)
      }
      await sleep(pauseMs)
    }
  }

  /** A billed call under a key: what it was charged is added to what this customer knows to have spent. */
  async buy(asked: Asked & { key: string }, isFinal?: (answer: Answer) => boolean): Promise<Answer> {
    const answer = await this.insist(asked, isFinal)
    const charged =
      answer.headers.get('x-service-original-charged-micros') ?? answer.headers.get('x-service-charged-micros') ?? '0'
    const job = answer.headers.get('x-service-job-id') ?? `no job of ${asked.key}`
    this.noteCharge(asked.subject, job, answer.status < 400 ? BigInt(charged) : 0n)
    if (answer.status >= 400 && charged !== '0')
      throw new BrokenPromise('A call that fails is free.', asked.subject, `${answer.status}, charged ${charged}`)
    return answer
  }

  noteCharge(subject: string, job: string, micros: bigint): void {
    const before = this.#charges.get(job)
    if (before !== undefined && before !== micros && before !== 0n)
      throw new BrokenPromise('A job says one price, however often it is asked for.', subject, `${before}, ${micros}`)
    this.#charges.set(job, micros)
  }

  get spentMicros(): bigint {
    return [...this.#charges.values()].reduce((sum, micros) => sum + micros, 0n)
  }

  chargeOf(job: string): bigint | undefined {
    return this.#charges.get(job)
  }
}

async function readAnswer(url: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(url, init)
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: parseJson(text) }
}

/** Neither refused for a moment, nor in progress. */
export function isAnswered({ status, body }: Answer): boolean {
  if ([202, 429, 503, 507].includes(status)) return false
  return !(status === 409 && body?.code === 'IDEMPOTENCY_IN_FLIGHT')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function describeFailure(error: Error): string {
  return (error.cause as Error | undefined)?.message ?? error.message
}

/** The start says what it is, and the end how it ended. */
function shorten(text: string): string {
  return text.length <= 2 * NOTED_CHARS ? text : `${text.slice(0, NOTED_CHARS)} ... ${text.slice(-NOTED_CHARS)}`
}
