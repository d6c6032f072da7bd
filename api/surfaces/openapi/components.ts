import { type AuthMode, ID_PREFIX } from '#kit'
import type { Plain } from './plain-schema.ts'

interface Parts {
  schemas: Record<string, Plain>
  responses: Record<string, Plain>
  auth: ReadonlySet<AuthMode>
}

/** The components that the rest of the document refers to, and those that these refer to. */
export function buildComponents(document: Plain, { schemas, responses, auth }: Parts): Plain {
  const all: Record<string, Record<string, Plain>> = {
    schemas: { Error: ERROR, PaymentRequired: PAYMENT_REQUIRED, Ticket: TICKET, Quote: QUOTE, ...schemas },
    parameters: { IdempotencyKey, MaxPrice, Prefer },
    headers: HEADERS,
    responses: { Accepted, ...responses },
  }
  const used = findUsed(all, document)
  const kept = Object.entries(all).map(([kind, components]) => [
    kind,
    Object.fromEntries(Object.entries(components).filter(([name]) => used.has(`${kind}/${name}`))),
  ])
  return { ...Object.fromEntries(kept), securitySchemes: buildSecuritySchemes(auth) }
}

/** Linters report components that nothing uses. A component that is found may refer to others. */
function findUsed(all: Record<string, Record<string, Plain>>, document: Plain): Set<string> {
  const used = new Set<string>()
  const unread = [document]
  for (let part = unread.pop(); part; part = unread.pop()) {
    for (const [, kind, name] of JSON.stringify(part).matchAll(/"#\/components\/(\w+)\/(\w+)"/g)) {
      const component = all[kind!]?.[name!]
      if (!component || used.has(`${kind}/${name}`)) continue
      used.add(`${kind}/${name}`)
      unread.push(component)
    }
  }
  return used
}

function buildSecuritySchemes(auth: ReadonlySet<AuthMode>): Plain {
  return {
    ...(auth.has('key') || auth.has('wallet') ? { bearer: describeBearer(auth.has('wallet')) } : {}),
    ...(auth.has('x402') ? { x402: X402 } : {}),
    ...(auth.has('x402') && auth.has('wallet') ? { signInWithX: SIGN_IN_WITH_X } : {}),
    ...(auth.has('session') ? { session: SESSION } : {}),
  }
}

function describeBearer(takesWallets: boolean): Plain {
  const wallet = takesWallets ? '; or the token of a signed-in wallet' : ''
  return {
    type: 'http',
    scheme: 'bearer',
    description: `An API key: \`${ID_PREFIX}_live_\` or \`${ID_PREFIX}_test_\` followed by 32 hexadecimal digits${wallet}.`,
  }
}

const X402: Plain = {
  type: 'apiKey',
  in: 'header',
  name: 'PAYMENT-SIGNATURE',
  description: 'A payment by x402 version 2: a signed PaymentPayload as base64.',
}

const SIGN_IN_WITH_X: Plain = {
  type: 'apiKey',
  in: 'header',
  name: 'SIGN-IN-WITH-X',
  description:
    "Proof of the calling wallet: the message of an offer's `sign-in-with-x` extension with its signature, as base64. Each can be used once, within five minutes.",
}

const SESSION: Plain = {
  type: 'apiKey',
  in: 'cookie',
  name: `${ID_PREFIX}_session`,
  description: 'A signed-in browser.',
}

function buildHeader(description: string, schema: Plain): Plain {
  return { description, schema }
}

function buildStringHeader(description: string): Plain {
  return buildHeader(description, { type: 'string' })
}

const MICROS: Plain = { type: 'string', pattern: '^[0-9]+$' }

const HEADERS: Record<string, Plain> = {
  RequestId: buildStringHeader('The id of this request, as in the logs.'),
  RetryAfter: buildHeader('The number of seconds to wait before the next try.', { type: 'integer', minimum: 0 }),
  RateLimit: buildStringHeader('What remains of the limit, for example `"default";r=50;t=30`.'),
  RateLimitPolicy: buildStringHeader('The limit, for example `"default";q=100;w=60`.'),
  ChargedMicros: buildHeader(
    'What this request was charged, in millionths of a US dollar; 0 for a stored response.',
    MICROS,
  ),
  OriginalChargedMicros: buildHeader(
    'Only with `Idempotency-Replayed`: what the first call was charged, in millionths of a US dollar.',
    MICROS,
  ),
  JobId: buildStringHeader('The job of this call; see GET /v1/jobs/{id}.'),
  IdempotencyReplayed: buildHeader('Present and true if this is the stored response to an earlier call.', {
    type: 'boolean',
  }),
  PaymentRequired: buildStringHeader('An x402 version 2 PaymentRequired as base64, if the call can be paid by x402.'),
}

/** Without the keyword, generated clients take it for an object without any field. */
export const ANY_OBJECT: Plain = { type: 'object', additionalProperties: true }

const ERROR: Plain = {
  type: 'object',
  description: 'An error. Further fields are hints that depend on the code. Nothing was charged.',
  properties: {
    error: { type: 'string', description: 'The error as a sentence for people.' },
    code: { type: 'string', description: 'The error as a code for programs.' },
    field: { type: 'string', description: 'The invalid field, if there is one.' },
    faults: {
      type: 'array',
      items: ANY_OBJECT,
      description: 'If several fields are invalid: up to ten of them, including the first, each with its own hints.',
    },
  },
  required: ['error', 'code'],
  additionalProperties: true,
}

const PAYMENT_REQUIRED: Plain = {
  type: 'object',
  description: 'The payment that is required before this call runs. Nothing was charged. Further fields name amounts.',
  properties: {
    error: { type: 'string', const: 'PAYMENT_REQUIRED' },
    code: { type: 'string' },
    message: { type: 'string' },
    x402Version: { type: 'integer', const: 2 },
    resource: { ...ANY_OBJECT, description: 'The resource that is paid for.' },
    accepts: {
      type: 'array',
      items: ANY_OBJECT,
      description: 'The ways to pay by x402; empty if only keys can pay.',
    },
    accepted: { type: 'array', items: ANY_OBJECT, description: 'The same as `accepts`, under its older name.' },
  },
  required: ['error', 'code', 'x402Version', 'accepts', 'accepted'],
  additionalProperties: true,
}

const TICKET: Plain = {
  type: 'object',
  description: 'The call continues in the background. Get its state from GET /v1/jobs/{id} with the ticket as id.',
  properties: {
    ticket: { type: 'string' },
    id: { type: 'string', description: 'The same as `ticket`.' },
    status: { type: 'string', enum: ['submitted', 'running', 'succeeded', 'failed', 'expired'] },
    ceiling_micros: {
      ...MICROS,
      description: 'The most that will be charged, whatever the files contain; `dryRun: true` tells the exact price.',
    },
  },
  required: ['ticket', 'id', 'status', 'ceiling_micros'],
}

const QUOTE: Plain = {
  type: 'object',
  description: 'The response to `dryRun: true`: the price. Nothing was run and nothing was charged.',
  properties: {
    quote: {
      type: 'object',
      properties: {
        amountMicros: { ...MICROS, description: 'The cost of the call; where less may be charged, the most.' },
        unit: { type: 'string' },
        units: { type: 'number' },
        rateMicros: { ...MICROS, description: 'For each unit.' },
        baseMicros: { ...MICROS, description: 'For the call, besides its units.' },
        variant: { type: 'string', description: 'Why this rate applies, if it is not the plain one.' },
        deliveryMicros: {
          ...MICROS,
          description: 'What is charged, within the amounts above and below, for the baton that `deliver` creates.',
        },
        capped: { type: 'boolean', description: 'Whether the price was reduced to the ceiling.' },
        expected: { ...MICROS, description: 'What such a call is probably charged.' },
        atMost: { ...MICROS, description: 'The amount that will be held, and the most that is charged.' },
        ceiling: { ...MICROS, description: 'The same as `atMost`.' },
      },
      required: ['amountMicros', 'unit', 'units', 'rateMicros', 'baseMicros', 'expected', 'atMost', 'ceiling'],
    },
  },
  required: ['quote'],
}

const IdempotencyKey: Plain = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Within 24 hours, the same key with the same request returns the first response again and charges nothing.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}

const MaxPrice: Plain = {
  name: 'X-Max-Price-Micros',
  in: 'header',
  required: false,
  description:
    'The most that the call may cost, in millionths of a US dollar. A call that may cost more answers 403 `PRICE_ABOVE_LIMIT` with its price, and nothing is charged.',
  schema: { type: 'string', pattern: '^\\d{1,15}$', examples: ['50000'] },
}

const Prefer: Plain = {
  name: 'Prefer',
  in: 'header',
  required: false,
  description:
    '`respond-async` returns a ticket at once; `wait=N` waits up to N seconds, at most 60, before it returns one.',
  schema: { type: 'string', examples: ['respond-async', 'wait=60'] },
}

const Accepted: Plain = {
  description: 'The call continues in the background; the ticket identifies it.',
  headers: {
    'X-Request-Id': { $ref: '#/components/headers/RequestId' },
    'X-Service-Job-Id': { $ref: '#/components/headers/JobId' },
    Location: { description: 'The address of the job.', schema: { type: 'string', format: 'uri-reference' } },
    'Retry-After': { $ref: '#/components/headers/RetryAfter' },
  },
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Ticket' } } },
}
