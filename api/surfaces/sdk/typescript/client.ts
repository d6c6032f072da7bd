import type { ClientCall } from '../calls.ts'
import { splitArguments } from './arguments.ts'
import { fromBase64 } from './bytes.ts'
import { CoinopError } from './errors.ts'
import { fillFiles, type OpenedFile, openBody, openFile } from './files.ts'
import { methodNameOf } from './names.ts'
import { writePath } from './paths.ts'
import type { Receipt } from './receipt.ts'
import { chargeOf, type Prepared, type Reply, send, ticketOf } from './send.ts'
import { type JobCalls, openTicket, waitForEnd } from './tickets.ts'
import { type Transfers, transfer } from './transfer.ts'
import type { CallOptions, ClientOptions, FileInput, OutputFile, Ticket, TicketState } from './types.ts'
import { uploadFile } from './upload.ts'
import { Credentials } from './wallet/credentials.ts'

/** The installation that a package was made by. */
export interface Installation {
  url: string
  /** The largest file that is sent within a call. */
  maxInlineBytes: number
  /** The tokens that it is paid with. */
  assets: readonly string[]
  calls: readonly ClientCall[]
}

type Input = Readonly<Record<string, unknown>>

const MAX_RETRIES = 2
/** With the waits between them, about half a minute: a job goes on while the service starts again. */
const TICKET_RETRIES = 7

/** The part of a client that every installation has; the package adds its calls to it. */
export class Client {
  readonly baseUrl: string
  readonly #options: ClientOptions
  readonly #installation: Installation
  readonly #credentials: Credentials
  readonly #jobs: JobCalls

  constructor(installation: Installation, options: ClientOptions = {}) {
    this.baseUrl = (options.baseUrl ?? installation.url).replace(/\/+$/, '')
    this.#options = options
    this.#installation = installation
    this.#credentials = new Credentials(options, installation.assets, this.baseUrl)
    this.#jobs = {
      read: (id, seconds, given) => {
        const wait = Math.min(seconds, this.#timeoutOf(given) / 2_000)
        const patience = seconds > 0 ? TICKET_RETRIES : MAX_RETRIES
        const maxRetries = given.maxRetries ?? this.#options.maxRetries ?? patience
        const path = `/v1/jobs/${id}?wait=${wait}`
        return this.#ask({ method: 'GET', path }, { ...given, maxRetries }) as Promise<TicketState<unknown>>
      },
      cancel: async (id, given) => void (await this.#ask({ method: 'DELETE', path: `/v1/jobs/${id}` }, given)),
    }
    defineFamilies(this, installation.calls, (call, input, given) => this.#call(call, input, given), {
      quote: (call, input, given) => this.#quote(call, input, given),
      start: (call, input, given) => this.#start(call, input, given),
    })
  }

  /** A ticket of an earlier call. */
  ticket<Result = unknown>(id: string): Ticket<Result> {
    return openTicket<Result>(id, this.#jobs)
  }

  /** The signed receipt of a call that has ended. */
  receipt(jobId: string, options: CallOptions = {}): Promise<Receipt> {
    const path = `/v1/jobs/${encodeURIComponent(jobId)}/receipt`
    return this.#ask({ method: 'GET', path }, options) as Promise<Receipt>
  }

  /** Stores a file for up to a day and returns its key, which is a source in any call: `{ inputKey }`. */
  async upload(file: FileInput, options: CallOptions = {}): Promise<string> {
    return this.#upload(await openFile(file), options)
  }

  #upload(file: OpenedFile, options: CallOptions): Promise<string> {
    const once = { ...options, maxRetries: 0 }
    const ask = (path: string, body: object) => this.#ask({ method: 'POST', path, body }, once)
    return uploadFile(file, { ...this.#transfersOf(options), options, ask })
  }

  #transfersOf({ maxRetries, signal }: CallOptions): Transfers {
    const { fetch: request = fetch, maxRetries: standard = MAX_RETRIES } = this.#options
    return { fetch: request, maxRetries: maxRetries ?? standard, signal }
  }

  /** The bytes of a file of an answer. */
  async download(file: OutputFile, options: CallOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
    if (file.inline !== undefined) return fromBase64(file.inline)
    return this.#load(file, options, async response => new Uint8Array(await response.arrayBuffer()))
  }

  /** Writes a file of an answer to the disk. */
  async save(file: OutputFile, path: string | URL, options: CallOptions = {}): Promise<void> {
    if (file.inline !== undefined) return writePath(path, fromBase64(file.inline))
    await this.#load(file, options, ({ body }) => writePath(path, body as ReadableStream<Uint8Array>))
  }

  #load<Result>(
    file: OutputFile,
    options: CallOptions,
    take: (response: Response) => Promise<Result>,
  ): Promise<Result> {
    const once = { ...options, maxRetries: 0 }
    return transfer(async () => take(await this.#fetchOutput(file, once)), this.#transfersOf(options))
  }

  /** Its address is valid for an hour, and a new one is given out for a day. */
  async #fetchOutput({ outputUrl, outputKey }: OutputFile, options: CallOptions): Promise<Response> {
    const request = this.#options.fetch ?? fetch
    const first = await request(outputUrl, { signal: options.signal })
    if (first.ok) return first
    await first.body?.cancel()
    const path = `/v1/outputs/${outputKey.split('/').map(encodeURIComponent).join('/')}`
    const { url } = (await this.#ask({ method: 'GET', path }, options)) as { url: string }
    const second = await request(url, { signal: options.signal })
    if (second.ok) return second
    throw new CoinopError(`The file cannot be downloaded: ${second.status}.`, {
      code: 'DOWNLOAD_FAILED',
      status: second.status,
    })
  }

  async #call(call: ClientCall, input: Input, options: CallOptions): Promise<unknown> {
    const reply = await this.#send(call, input, options)
    const id = call.isOperation ? ticketOf(reply) : undefined
    if (id !== undefined) return this.#follow(id, reply, options)
    options.onCharge?.(chargeOf(reply))
    const { content, headers } = reply
    if (!(content instanceof Uint8Array)) return content
    return { bytes: content, contentType: headers.get('content-type') ?? 'application/octet-stream', headers }
  }

  async #follow(id: string, reply: Reply, options: CallOptions): Promise<unknown> {
    options.onTicket?.(this.ticket(id))
    const { result, actualMicros } = await waitForEnd(id, this.#jobs, options)
    options.onCharge?.({ ...chargeOf(reply), ...(actualMicros && { chargedMicros: BigInt(actualMicros) }) })
    return result
  }

  async #quote(call: ClientCall, input: Input, options: CallOptions): Promise<unknown> {
    const inBody = call.quote === 'body'
    const given = inBody ? { ...input, dryRun: true } : input
    return (await this.#send(call, given, options, inBody ? {} : { 'x-dry-run': 'true' })).content
  }

  async #start(call: ClientCall, input: Input, options: CallOptions): Promise<Ticket<unknown>> {
    const reply = await this.#send(call, input, options, { prefer: 'respond-async' })
    options.onCharge?.(chargeOf(reply))
    const id = ticketOf(reply) ?? reply.headers.get('x-service-job-id')
    if (id === null) throw new Error('the service answered without a ticket')
    return this.ticket(id)
  }

  async #send(
    call: ClientCall,
    input: Input,
    options: CallOptions,
    extra: Record<string, string> = {},
  ): Promise<Reply> {
    const { path, headers, fields } = splitArguments(call, input)
    const { body, type } = await this.#makeBody(call, fields, options)
    const { isKeyed } = call
    const { waitSeconds } = options
    const request: Prepared = {
      method: call.method,
      url: this.baseUrl + path,
      headers: {
        accept: call.contentType ?? 'application/json',
        ...this.#options.headers,
        ...(type !== undefined && { 'content-type': type }),
        ...(isKeyed && { 'idempotency-key': options.idempotencyKey ?? crypto.randomUUID() }),
        ...(options.maxPriceMicros !== undefined && { 'x-max-price-micros': String(options.maxPriceMicros) }),
        ...(call.isOperation && waitSeconds !== undefined && { prefer: `wait=${waitSeconds}` }),
        ...headers,
        ...extra,
      },
      body,
      isRepeatable: call.method === 'GET' || isKeyed,
    }
    return this.#perform(request, call.auth, call.isPaid, options)
  }

  async #makeBody(
    { body, files, named }: ClientCall,
    fields: Record<string, unknown>,
    options: CallOptions,
  ): Promise<{ body: string | Blob | undefined; type: string | undefined }> {
    if (body === 'none') return { body: undefined, type: undefined }
    if (body === 'bytes') {
      const content = await openBody(fields.file)
      return { body: content, type: (fields.contentType as string) || content.type || 'application/octet-stream' }
    }
    const type = 'application/json'
    if (body === 'document') return { body: JSON.stringify(fields.body), type }
    if (files.length === 0) return { body: JSON.stringify(fields), type }
    const { maxInlineBytes } = this.#installation
    const upload = (file: OpenedFile) => this.#upload(file, options)
    return { body: JSON.stringify(await fillFiles(fields, { files, named }, { maxInlineBytes, upload })), type }
  }

  #timeoutOf({ timeoutMs }: CallOptions): number {
    return timeoutMs ?? this.#options.timeoutMs ?? 100_000
  }

  /** A call of the service that is free and needs an account. */
  async #ask(
    { method, path, body }: { method: string; path: string; body?: object },
    options: CallOptions,
  ): Promise<unknown> {
    const request: Prepared = {
      method,
      url: this.baseUrl + path,
      headers: { ...this.#options.headers, ...(body && { 'content-type': 'application/json' }) },
      body: body && JSON.stringify(body),
      isRepeatable: method === 'GET',
    }
    return (await this.#perform(request, ['key', 'wallet'], false, options)).content
  }

  async #perform(request: Prepared, auth: ClientCall['auth'], isPaid: boolean, options: CallOptions): Promise<Reply> {
    const attempts = { ...this.#transfersOf(options), timeoutMs: this.#timeoutOf(options) }
    const ask = async (method: string, path: string, body?: object) => {
      const asked = { method, url: this.baseUrl + path, isRepeatable: method === 'GET' }
      const headers: Record<string, string> = body ? { 'content-type': 'application/json' } : {}
      const sent = { ...asked, headers, body: body && JSON.stringify(body) }
      return (await send(sent, { ...attempts, respond: async () => undefined })).content
    }
    const authorization = await this.#credentials.authorize(auth, isPaid, ask)
    return send(
      { ...request, headers: { ...authorization, ...request.headers } },
      { ...attempts, respond: (error, headers) => this.#credentials.respond(error, headers, ask) },
    )
  }
}

type Perform = (call: ClientCall, input: Input, options: CallOptions) => Promise<unknown>

/** Each family is an object that is made when it is first used. */
function defineFamilies(
  client: Client,
  calls: readonly ClientCall[],
  perform: Perform,
  others: { quote: Perform; start: Perform },
): void {
  for (const [family, members] of groupByFamily(calls)) {
    const make = () => {
      const made = Object.fromEntries(members.map(call => [methodNameOf(call), makeMethod(call, perform, others)]))
      Object.defineProperty(client, family, { value: made, enumerable: true })
      return made
    }
    Object.defineProperty(client, family, { get: make, enumerable: true, configurable: true })
  }
}

function groupByFamily(calls: readonly ClientCall[]): Map<string, ClientCall[]> {
  const families = new Map<string, ClientCall[]>()
  for (const call of calls) {
    const members = families.get(call.family) ?? []
    families.set(call.family, members)
    members.push(call)
  }
  return families
}

function makeMethod(call: ClientCall, perform: Perform, { quote, start }: { quote: Perform; start: Perform }): object {
  const method = (input: Input = {}, options: CallOptions = {}) => perform(call, input, options)
  return Object.assign(
    method,
    call.quote !== 'none' && { quote: (input: Input = {}, options: CallOptions = {}) => quote(call, input, options) },
    call.isOperation && { start: (input: Input = {}, options: CallOptions = {}) => start(call, input, options) },
  )
}
