import type { Socket } from 'node:net'

// Decision 0070: drive Chromium over its own pipe.

export type Params = Record<string, unknown>

export interface DevtoolsEvent {
  method: string
  params: Params
}

interface Message extends Partial<DevtoolsEvent> {
  id?: number
  sessionId?: string
  result?: unknown
  error?: { code: number; message: string }
}

/** The browser answered a request with an error. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError'
}

/** More than a chunk of a file or a screenshot of the maximum size needs. */
const MAX_MESSAGE_BYTES = 512 * 2 ** 20

/** The Chrome DevTools Protocol over two pipes: JSON messages, each followed by a zero byte. */
export class DevtoolsPipe {
  readonly #input: Socket
  readonly #pending = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>()
  readonly #listeners = new Map<string, (event: DevtoolsEvent) => void>()
  #parts: Buffer[] = []
  #sizeBytes = 0
  #lastId = 0

  constructor(input: Socket, output: Socket) {
    this.#input = input
    output.on('data', (chunk: Buffer) => this.#receive(chunk))
    output.on('close', () => this.#close())
  }

  send<Result = unknown>(method: string, params: Params = {}, sessionId?: string): Promise<Result> {
    const id = ++this.#lastId
    const response = new Promise<Result>((resolve, reject) => {
      this.#pending.set(id, { resolve: resolve as (result: unknown) => void, reject })
    })
    // Prevents an unhandled rejection if the caller no longer waits for the response.
    response.catch(() => undefined)
    this.#input.write(`${JSON.stringify({ id, method, params, sessionId })}\0`)
    return response
  }

  /** Sets the session's only listener, or removes it. */
  listen(sessionId: string, listener?: (event: DevtoolsEvent) => void): void {
    if (listener) this.#listeners.set(sessionId, listener)
    else this.#listeners.delete(sessionId)
  }

  #receive(chunk: Buffer): void {
    let start = 0
    for (let end = chunk.indexOf(0); end >= 0; end = chunk.indexOf(0, start)) {
      this.#parts.push(chunk.subarray(start, end))
      const text = Buffer.concat(this.#parts).toString()
      this.#parts = []
      this.#sizeBytes = 0
      start = end + 1
      this.#dispatch(JSON.parse(text) as Message)
    }
    if (start === chunk.length) return
    this.#parts.push(chunk.subarray(start))
    this.#sizeBytes += chunk.length - start
    if (this.#sizeBytes > MAX_MESSAGE_BYTES) this.#input.destroy()
  }

  #dispatch({ id, sessionId = '', method, params = {}, result, error }: Message): void {
    if (id === undefined) {
      this.#listeners.get(sessionId)?.({ method: method!, params })
      return
    }
    const request = this.#pending.get(id)
    this.#pending.delete(id)
    if (error) request?.reject(new ProtocolError(error.message))
    else request?.resolve(result)
  }

  /** Pending requests stay unanswered; the worker pool reports the end of the process. */
  #close(): void {
    this.#pending.clear()
  }
}
