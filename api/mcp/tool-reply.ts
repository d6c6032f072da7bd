import { EventEmitter } from 'node:events'
import type { AnswerSink } from '../intake/reply/sink.ts'

/** Takes what a route would reply over HTTP: its headers, and its body if it sends one itself. */
export class ToolReply implements AnswerSink {
  readonly fields = new Map<string, unknown>()
  statusCode = 200
  sent = false
  payload: unknown
  /** Tells when the answer was sent whole, as the reply of the message does. */
  readonly raw = new EventEmitter()

  header(name: string, value: unknown): this {
    this.fields.set(name.toLowerCase(), value)
    return this
  }

  getHeader(name: string): unknown {
    return this.fields.get(name.toLowerCase())
  }

  hasHeader(name: string): boolean {
    return this.fields.has(name.toLowerCase())
  }

  headers(values: Record<string, unknown>): this {
    for (const [name, value] of Object.entries(values)) this.header(name, value)
    return this
  }

  type(contentType: string): this {
    return this.header('content-type', contentType)
  }

  code(statusCode: number): this {
    this.statusCode = statusCode
    return this
  }

  redirect(address: string, status: number): this {
    return this.code(status).header('location', address).send()
  }

  send(payload?: unknown): this {
    this.sent = true
    this.payload = payload
    return this
  }
}
