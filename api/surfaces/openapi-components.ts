import { type AuthMode, PREFIX } from '#kit'
import { type Plain, SHARED_SCHEMAS } from './plain-schema.ts'

interface Uses {
  schemas: readonly string[]
  auth: ReadonlySet<AuthMode>
  hasPaid: boolean
  hasOperations: boolean
}

/** What the operations of the document refer to. */
export function components(uses: Uses, responses: Record<string, Plain>): Plain {
  const shared = Object.fromEntries(uses.schemas.map(name => [name, SHARED_SCHEMAS[name]!]))
  const paid = uses.hasPaid ? { PaymentRequired: PAYMENT_REQUIRED } : {}
  const tickets = uses.hasOperations ? { Ticket: TICKET, Quote: QUOTE } : {}
  return {
    schemas: { Error: ERROR, ...paid, ...tickets, ...shared },
    parameters: { ...(uses.hasPaid ? { IdempotencyKey } : {}), ...(uses.hasOperations ? { Prefer } : {}) },
    headers: {
      RequestId: textHeader('The id of this request, the same as in the logs.'),
      RetryAfter: header('Seconds to wait before the next try.', { type: 'integer', minimum: 0 }),
      RateLimit: textHeader('What is left of the limit: `"default";r=50;t=30`.'),
      RateLimitPolicy: textHeader('The limit: `"default";q=100;w=60`.'),
      ...(uses.hasPaid ? PAID_HEADERS : {}),
    },
    responses: { ...(uses.hasOperations ? { Accepted } : {}), ...responses },
    securitySchemes: securitySchemes(uses.auth),
  }
}

function securitySchemes(auth: ReadonlySet<AuthMode>): Plain {
  return {
    bearer: {
      type: 'http',
      scheme: 'bearer',
      description: `An API key, \`${PREFIX}_live_\` or \`${PREFIX}_test_\` and 32 hexadecimal digits${auth.has('wallet') ? '; or the token of a wallet that has signed in' : ''}.`,
    },
    ...(auth.has('x402') ? { x402: X402 } : {}),
    ...(auth.has('x402') && auth.has('wallet') ? { signInWithX: SIGN_IN_WITH_X } : {}),
    ...(auth.has('session') ? { session: SESSION } : {}),
  }
}

const X402: Plain = {
  type: 'apiKey',
  in: 'header',
  name: 'PAYMENT-SIGNATURE',
  description: 'A payment by x402, version 2: the base64 of a signed PaymentPayload.',
}

const SIGN_IN_WITH_X: Plain = {
  type: 'apiKey',
  in: 'header',
  name: 'SIGN-IN-WITH-X',
  description:
    "Who asks, by a wallet: the base64 of the text of an offer's `sign-in-with-x` extension with its signature. Each serves once, within five minutes.",
}

const SESSION: Plain = { type: 'apiKey', in: 'cookie', name: `${PREFIX}_session`, description: 'A signed-in browser.' }

function header(description: string, schema: Plain): Plain {
  return { description, schema }
}

function textHeader(description: string): Plain {
  return header(description, { type: 'string' })
}

const PAID_HEADERS: Plain = {
  ChargedMicros: header('What this call cost, in millionths of a US dollar.', { type: 'string', pattern: '^[0-9]+$' }),
  JobId: textHeader('The job behind this answer; see GET /v1/jobs/{id}.'),
  IdempotencyReplayed: header('Present and true when this is the stored answer to an earlier call.', {
    type: 'boolean',
  }),
  PaymentRequired: textHeader('The base64 of an x402 version 2 PaymentRequired, where the call can be paid by x402.'),
}

const ERROR: Plain = {
  type: 'object',
  description: 'A refusal. Further fields are hints that depend on the code. Nothing was charged.',
  properties: {
    error: { type: 'string', description: 'One sentence for a human.' },
    code: { type: 'string', description: 'One word for a machine.' },
    field: { type: 'string', description: 'The field at fault, where one is.' },
    errors: { type: 'array', items: { type: 'object' }, description: 'All fields at fault, the first one included.' },
  },
  required: ['error', 'code'],
}

const PAYMENT_REQUIRED: Plain = {
  type: 'object',
  description: 'What has to be paid before this call runs. Nothing was charged. Further fields name amounts.',
  properties: {
    error: { type: 'string', const: 'PAYMENT_REQUIRED' },
    code: { type: 'string' },
    message: { type: 'string' },
    x402Version: { type: 'integer', const: 2 },
    resource: { type: 'object', description: 'What is paid for.' },
    accepts: { type: 'array', items: { type: 'object' }, description: 'Ways to pay by x402; none where keys pay.' },
    accepted: { type: 'array', items: { type: 'object' }, description: 'The same under its older name.' },
  },
  required: ['error', 'code', 'x402Version', 'accepts', 'accepted'],
}

const MICROS: Plain = { type: 'string', pattern: '^[0-9]+$' }

const TICKET: Plain = {
  type: 'object',
  description: 'The call runs on; ask GET /v1/jobs/{id} with the ticket as id.',
  properties: {
    ticket: { type: 'string' },
    id: { type: 'string', description: 'The ticket.' },
    status: { type: 'string', enum: ['submitted', 'running', 'succeeded', 'failed', 'expired'] },
    ceiling_micros: { ...MICROS, description: 'The most that will be charged.' },
  },
  required: ['ticket', 'id', 'status', 'ceiling_micros'],
}

const QUOTE: Plain = {
  type: 'object',
  description: 'The answer to `dryRun: true`: the price, with nothing run and nothing charged.',
  properties: {
    quote: {
      type: 'object',
      properties: {
        amountMicros: { ...MICROS, description: 'What the call will cost.' },
        unit: { type: 'string' },
        units: { type: 'number' },
        capped: { type: 'boolean', description: 'Whether the ceiling made it cheaper.' },
        ceiling: { ...MICROS, description: 'What will be held.' },
      },
      required: ['amountMicros', 'unit', 'units'],
    },
  },
  required: ['quote'],
}

const IdempotencyKey: Plain = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'The same key with the same request within 24 hours gives the first answer again and charges nothing.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}

const Prefer: Plain = {
  name: 'Prefer',
  in: 'header',
  required: false,
  description:
    '`respond-async` answers with a ticket at once; `wait=N` waits up to N seconds, at most 60, before it does.',
  schema: { type: 'string', examples: ['respond-async', 'wait=60'] },
}

const Accepted: Plain = {
  description: 'The call runs on. The ticket names it.',
  headers: {
    'X-Request-Id': { $ref: '#/components/headers/RequestId' },
    'X-Service-Job-Id': { $ref: '#/components/headers/JobId' },
    Location: { description: 'Where the job is.', schema: { type: 'string', format: 'uri-reference' } },
    'Retry-After': { $ref: '#/components/headers/RetryAfter' },
  },
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Ticket' } } },
}
