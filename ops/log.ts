import { type DestinationStream, type Logger, pino } from 'pino'

export type { Logger } from 'pino'

const MASK = '[hidden]'
const DEEPEST = 6

/** Fields that are never written, however deep they lie. */
const HIDDEN_FIELD =
  /^(authorization|proxy-authorization|cookie|set-cookie|payment-signature|x-payment|payment-response|password|passphrase|secret|token|access_?token|refresh_?token|api-?key|x-api-key|key|private-?key|secret-?access-?key|body|inline|rawbody|databaseurl|connectionstring)$/i

/** Fields that hold an address, whose query may carry a key. */
const ADDRESS_FIELD = /^(url|uri|href|path|referer|referrer|location)$/i

/** What is a secret wherever it stands, in a message or a stack as well: keys, bearer tokens, JWTs, passwords in addresses. */
const SECRET_TEXT =
  /\b(svc_(?:live|test)_|tok_|drp_|whsec_)[\w-]{8,}|\b(bearer\s+)[\w.~+/=-]+|\b(eyJ)[\w-]{8,}\.[\w-]+\.[\w-]*|(:\/\/[^\s:/@"]*:)[^\s@/"]+(?=@)|([?&](?:key|token|password|secret|signature|api_?key|x-amz-signature|x-amz-credential)=)[^&\s"\\]+/gi

/** One logger a process. Bodies are never logged; what looks like a secret is masked, wherever it stands. */
export function openLog(options: { logLevel: string; name: string }, stream?: DestinationStream): Logger {
  return pino(
    {
      name: options.name,
      level: options.logLevel,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: {
        level: label => ({ level: label }),
        log: record => withoutSecrets(record, 0) as Record<string, unknown>,
      },
      serializers: { req: requestFields, res: replyFields, err: errorFields },
      hooks: { streamWrite: maskText },
    },
    stream ?? pino.destination(1),
  )
}

export function maskText(text: string): string {
  return text.replace(
    SECRET_TEXT,
    (_match, ...groups: (string | undefined)[]) => `${groups.find(Boolean) ?? ''}${MASK}`,
  )
}

function withoutSecrets(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || !isPlain(value)) return value
  if (depth === DEEPEST) return '[deep]'
  if (Array.isArray(value)) return value.map(item => withoutSecrets(item, depth + 1))
  const shown: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(value)) shown[name] = shownField(name, field, depth)
  return shown
}

function shownField(name: string, field: unknown, depth: number): unknown {
  if (HIDDEN_FIELD.test(name) && field !== undefined && field !== null) return MASK
  if (typeof field === 'string') return ADDRESS_FIELD.test(name) ? withoutQuery(field) : field
  return withoutSecrets(field, depth + 1)
}

/** Errors, requests and replies are left to their serializers. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null || Array.isArray(value)
}

/** What names a fault. What else hangs on an error may be a whole connection, with the rows it was to carry. */
function errorFields(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name, message, stack, cause } = error
  const { code, tool, severity } = error as { code?: unknown; tool?: unknown; severity?: unknown }
  return { type: name, message, code, tool, severity, stack, ...(cause !== undefined && { cause: errorFields(cause) }) }
}

function requestFields(request: { method?: string; url?: string; id?: unknown; ip?: string }) {
  return { method: request.method, url: withoutQuery(request.url ?? ''), id: request.id, ip: request.ip }
}

function replyFields(reply: { statusCode?: number }) {
  return { statusCode: reply.statusCode }
}

function withoutQuery(address: string): string {
  const at = address.indexOf('?')
  return at < 0 ? address : `${address.slice(0, at)}?${MASK}`
}
