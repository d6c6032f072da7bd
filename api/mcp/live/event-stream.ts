import { PassThrough } from 'node:stream'
import type { AnswerSink } from '../../intake/reply/sink.ts'

/** The answer to a request as events: it begins with the first message before the result. Without one it is JSON alone. */
export class EventStream {
  readonly #reply: AnswerSink
  #stream: PassThrough | undefined

  constructor(reply: AnswerSink) {
    this.#reply = reply
  }

  get hasStarted(): boolean {
    return this.#stream !== undefined
  }

  send(message: object): void {
    this.#write(JSON.stringify({ jsonrpc: '2.0', ...message }))
  }

  /** Ends with the response as JSON; without one if the client has taken its request back. */
  end(response: string | undefined): void {
    if (response !== undefined) this.#write(response)
    this.#stream?.end()
  }

  /** Begins, or goes on, with what clients pass over. */
  keepAlive(): void {
    this.#stream ??= this.#begin()
    this.#stream.write(':\n\n')
  }

  #write(json: string): void {
    this.#stream ??= this.#begin()
    this.#stream.write(`event: message\ndata: ${json}\n\n`)
  }

  #begin(): PassThrough {
    const stream = new PassThrough()
    this.#reply.header('x-accel-buffering', 'no').type('text/event-stream; charset=utf-8').send(stream)
    return stream
  }
}

export function acceptsEvents(accept: string | undefined): boolean {
  return /\btext\/event-stream\b/.test(accept ?? '')
}
