/** Takes the answer of a call: over HTTP its reply, and for other protocols what they make their own answer of. */
export interface AnswerSink {
  readonly statusCode: number
  readonly sent: boolean
  readonly raw: Transfer
  code(status: number): AnswerSink
  header(name: string, value: unknown): AnswerSink
  headers(values: Record<string, unknown>): AnswerSink
  getHeader(name: string): unknown
  hasHeader(name: string): boolean
  type(contentType: string): AnswerSink
  redirect(address: string, status: number): AnswerSink
  send(payload?: unknown): AnswerSink
}

/** Tells when the answer was sent whole, or broken off. */
interface Transfer {
  once(event: 'finish' | 'close', listener: () => void): unknown
  readonly destroyed?: boolean
  readonly socket?: { readonly bytesWritten: number } | null
}
