import { STATUS_CODES } from 'node:http'
import { type Entry, type ProblemCode, wireCode } from '#kit'
import { problemsByStatus, sentenceOf } from './expected-problems.ts'
import { exampleAnswers } from './openapi-examples.ts'
import { BINARY, type Plain, plainSchema, singleOutput, typesOf } from './plain-schema.ts'
import { isPaid } from './surface.ts'

export function responsesOf(entry: Entry): Plain {
  const problems = [...problemsByStatus(entry)].map(([status, codes]) => [
    String(status),
    problemResponse(entry, status, codes),
  ])
  return {
    [String(entry.reply.status)]: success(entry),
    ...(entry.kind === 'operation' ? { '202': { $ref: '#/components/responses/Accepted' } } : {}),
    ...Object.fromEntries(problems),
  }
}

function success(entry: Entry): Plain {
  const { status, schema } = entry.reply
  const raw = entry.kind === 'operation' ? singleOutput(schema) : undefined
  const content = { ...mainContent(entry), ...(raw ? { 'application/octet-stream': { schema: BINARY } } : {}) }
  const asked = raw
    ? ` With \`Accept: application/octet-stream\`, the bytes of the output alone, ${typesOf(raw)}, and the other fields as JSON in \`X-Service-Result\`.`
    : ''
  return {
    description: `${status === 201 ? 'It is made.' : 'The answer.'}${asked}`,
    headers: { ...headersFor(['X-Request-Id']), ...(isPaid(entry) ? headersFor(PAID) : {}) },
    ...(Object.keys(content).length > 0 ? { content } : {}),
  }
}

function mainContent(entry: Entry): Plain {
  const { schema, contentType } = entry.reply
  if (!schema) return contentType ? { [contentType]: { schema: { type: 'string' } } } : {}
  const answer = plainSchema(schema)
  const examples = exampleAnswers(entry)
  return {
    [contentType ?? 'application/json']: { schema: withQuote(entry, answer), ...(examples ? { examples } : {}) },
  }
}

function withQuote(entry: Entry, answer: Plain): Plain {
  return entry.kind === 'operation' ? { anyOf: [answer, { $ref: '#/components/schemas/Quote' }] } : answer
}

const HEADERS = {
  'X-Request-Id': 'RequestId',
  'X-Service-Charged-Micros': 'ChargedMicros',
  'X-Service-Job-Id': 'JobId',
  'Idempotency-Replayed': 'IdempotencyReplayed',
  'PAYMENT-REQUIRED': 'PaymentRequired',
  'Retry-After': 'RetryAfter',
  RateLimit: 'RateLimit',
  'RateLimit-Policy': 'RateLimitPolicy',
} as const
const PAID = ['X-Service-Charged-Micros', 'X-Service-Job-Id', 'Idempotency-Replayed'] as const

function headersFor(names: readonly (keyof typeof HEADERS)[]): Plain {
  return Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${HEADERS[name]}` }]))
}

const HEADERS_BY_STATUS: Record<number, readonly (keyof typeof HEADERS)[]> = {
  402: ['PAYMENT-REQUIRED'],
  429: ['Retry-After', 'RateLimit', 'RateLimit-Policy'],
  503: ['Retry-After'],
}

function problemResponse(entry: Entry, status: number, codes: readonly ProblemCode[]): Plain {
  const lines = codes.map(code => `- \`${wireCode(code)}\`: ${sentenceOf(code)}`)
  const isOffer = status === 402 && isPaid(entry)
  return {
    description: [`${STATUS_CODES[status] ?? 'Refused'}.`, '', ...new Set(lines)].join('\n'),
    headers: headersFor(['X-Request-Id', ...(HEADERS_BY_STATUS[status] ?? [])]),
    content: {
      'application/json': { schema: { $ref: `#/components/schemas/${isOffer ? 'PaymentRequired' : 'Error'}` } },
    },
  }
}
