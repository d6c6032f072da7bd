import { writeSync } from 'node:fs'
import { type DestinationStream, type Logger, pino } from 'pino'
import { currentTrace } from './tracing/trace.ts'

export type { Logger } from 'pino'

const MASK = '[hidden]'
const MAX_DEPTH = 6

/** Fields that are never written, at any depth. */
const SECRET_FIELD =
  /^(authorization|proxy-authorization|cookie|set-cookie|payment-signature|x-payment|payment-response|password|passphrase|secret|token|access_?token|refresh_?token|api-?key|x-api-key|key|private-?key|secret-?access-?key|body|inline|rawbody|databaseurl|connectionstring)$/i

/** Fields that hold a URL, whose query may carry a key. */
const URL_FIELD = /^(url|uri|href|path|referer|referrer|location)$/i

/** Secrets in any text, messages and stacks included: keys, bearer tokens, JWTs, passwords in URLs. */
const SECRET_TEXT =
  /\b(svc_(?:live|test|access|refresh|code)_|tok_|drp_|hnd_|rcp_|brt_|lck_|rpl_|ctp_|vt_|vs_|idr_|whsec_)[\w-]{8,}|\b(bearer\s+)[\w.~+/=-]+|\b(eyJ)[\w-]{8,}\.[\w-]+\.[\w-]*|(:\/\/[^\s:/@"]*:)[^\s@/"]+(?=@)|([?&](?:key|token|password|secret|signature|api_?key|x-amz-signature|x-amz-credential)=)[^&\s"\\]+/gi

/** One logger per process. Bodies are never logged, and everything that looks like a secret is masked. */
export function openLog(options: { logLevel: string; name: string }, stream?: DestinationStream): Logger {
  return pino(
    {
      name: options.name,
      level: options.logLevel,
      base: { pid: process.pid },
      mixin: nameTrace,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: {
        level: label => ({ level: label }),
        log: record => redactRecord(record, 0) as Record<string, unknown>,
      },
      serializers: { req: serializeRequest, res: serializeReply, err: serializeError },
      hooks: { streamWrite: maskSecrets },
    },
    stream ?? { write: writeLine },
  )
}

/** By which a line is found from a trace. Each line gets an object of its own, because pino writes into it. */
function nameTrace(): object {
  const traceId = currentTrace()?.traceId
  return traceId === undefined ? {} : { traceId }
}

const STANDARD_OUTPUT = 1
const RETRIES = 100
const RETRY_AFTER_MS = 10
const sleeper = new Int32Array(new SharedArrayBuffer(4))

/**
 * Writes a line at once, and drops it if nobody reads any more. The destination of pino tries that again without end when the
 * process exits, so a process whose supervisor was killed would never end.
 */
function writeLine(text: string): void {
  let rest = Buffer.from(text)
  for (let retries = 0; rest.length > 0 && retries < RETRIES; ) {
    try {
      rest = rest.subarray(writeSync(STANDARD_OUTPUT, rest))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return
      retries++
      Atomics.wait(sleeper, 0, 0, RETRY_AFTER_MS)
    }
  }
}

function maskSecrets(text: string): string {
  return text.replace(
    SECRET_TEXT,
    (_match, ...groups: (string | undefined)[]) => `${groups.find(Boolean) ?? ''}${MASK}`,
  )
}

function redactRecord(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || !isPlainObject(value)) return value
  if (depth === MAX_DEPTH) return '[deep]'
  if (Array.isArray(value)) return value.map(item => redactRecord(item, depth + 1))
  const redacted: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(value)) redacted[name] = redactField(name, field, depth)
  return redacted
}

function redactField(name: string, field: unknown, depth: number): unknown {
  if (SECRET_FIELD.test(name) && field !== undefined && field !== null) return MASK
  if (typeof field === 'string') return URL_FIELD.test(name) ? hideQuery(field) : field
  return redactRecord(field, depth + 1)
}

/** Errors, requests and replies have serializers of their own. */
function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null || Array.isArray(value)
}

/** Only the fields that describe the error: its other properties may hold a connection or rows of customers. */
function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name, message, stack, cause } = error
  const { code, tool, severity } = error as { code?: unknown; tool?: unknown; severity?: unknown }
  return {
    type: name,
    message,
    code,
    tool,
    severity,
    stack,
    ...(cause !== undefined && { cause: serializeError(cause) }),
  }
}

function serializeRequest(request: { method?: string; url?: string; id?: unknown; ip?: string }) {
  return { method: request.method, url: hideQuery(request.url ?? ''), id: request.id, ip: request.ip }
}

function serializeReply(reply: { statusCode?: number }) {
  return { statusCode: reply.statusCode }
}

function hideQuery(address: string): string {
  const at = address.indexOf('?')
  return at < 0 ? address : `${address.slice(0, at)}?${MASK}`
}
