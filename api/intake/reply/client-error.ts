import type { Socket } from 'node:net'
import { Problem, type ProblemCode } from '#kit'

const STATUS_TEXTS: Record<number, string> = { 400: 'Bad Request', 408: 'Request Timeout', 431: 'Header Too Large' }

/** Answers what the HTTP parser refuses, so that a program finds our code in these responses too. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, code] = classify(error.code)
  const body = JSON.stringify(new Problem(code, { reason: error.message }).toBody())
  const head = [
    `HTTP/1.1 ${status} ${STATUS_TEXTS[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

function classify(code: string | undefined): [status: number, code: ProblemCode] {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return [408, 'BODY_INCOMPLETE']
  return code === 'HPE_HEADER_OVERFLOW' ? [431, 'HEADERS_TOO_LARGE'] : [400, 'INVALID_HTTP']
}
