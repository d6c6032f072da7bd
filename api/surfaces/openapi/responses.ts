import { STATUS_CODES } from 'node:http'
import { type Entry, type ProblemCode, wireCode } from '#kit'
import { isPaid } from '../entries.ts'
import { buildExampleAnswers } from './examples.ts'
import { describeProblem, groupProblemsByStatus } from './expected-problems.ts'
import { BINARY, describeTypes, type Plain, singleOutput, toPlainSchema } from './plain-schema.ts'

// A 200 is the result or, with `dryRun`, the quote: a status of its own for quotes would break the rule that 200 means
// "done as asked", so clients narrow the answer.

export function buildResponses(entry: Entry): Plain {
  const problems = [...groupProblemsByStatus(entry)].map(([status, codes]) => [
    String(status),
    buildProblemResponse(entry, status, codes),
  ])
  return {
    [String(entry.reply.status)]: buildSuccess(entry),
    ...(entry.reply.dryRun && entry.reply.status !== 200
      ? { '200': buildDryRun(toPlainSchema(entry.reply.dryRun)) }
      : {}),
    ...(entry.price && !entry.reply.dryRun && entry.reply.status !== 200 ? { '200': buildDryRun(QUOTE) } : {}),
    ...(entry.kind === 'operation' ? { '202': { $ref: '#/components/responses/Accepted' } } : {}),
    ...Object.fromEntries(problems),
  }
}

function buildSuccess(entry: Entry): Plain {
  const { status, schema } = entry.reply
  const rawOutput = entry.kind === 'operation' ? singleOutput(schema) : undefined
  const content = { ...buildContent(entry), ...(rawOutput ? { 'application/octet-stream': { schema: BINARY } } : {}) }
  const rawDescription = rawOutput
    ? ` With \`Accept: application/octet-stream\`, the response is the bytes of the output alone, ${describeTypes(rawOutput)}, with the other fields as JSON in \`X-Service-Result\`.`
    : ''
  return {
    description: `${status === 201 ? 'Created.' : 'Success.'}${rawDescription}`,
    headers: { ...referenceHeaders(['X-Request-Id']), ...(isPaid(entry) ? referenceHeaders(PAID_HEADERS) : {}) },
    ...(Object.keys(content).length > 0 ? { content } : {}),
  }
}

const QUOTE = { $ref: '#/components/schemas/Quote' }

function buildDryRun(schema: Plain): Plain {
  const content = { 'application/json': { schema } }
  return { description: 'The price, for a dry run.', headers: referenceHeaders(['X-Request-Id']), content }
}

function buildContent(entry: Entry): Plain {
  const { schema, contentType } = entry.reply
  if (!schema) return contentType ? { [contentType]: { schema: { type: 'string' } } } : {}
  const answer = toPlainSchema(schema)
  const examples = buildExampleAnswers(entry)
  return {
    [contentType ?? 'application/json']: { schema: withQuote(entry, answer), ...(examples ? { examples } : {}) },
  }
}

function withQuote(entry: Entry, answer: Plain): Plain {
  if (!entry.price || entry.reply.status !== 200) return answer
  const { dryRun } = entry.reply
  return { anyOf: [answer, ...(dryRun ? [{ allOf: [QUOTE, toPlainSchema(dryRun)] }] : []), QUOTE] }
}

const HEADER_COMPONENTS = {
  'X-Request-Id': 'RequestId',
  'X-Service-Charged-Micros': 'ChargedMicros',
  'X-Service-Original-Charged-Micros': 'OriginalChargedMicros',
  'X-Service-Job-Id': 'JobId',
  'Idempotency-Replayed': 'IdempotencyReplayed',
  'PAYMENT-REQUIRED': 'PaymentRequired',
  'Retry-After': 'RetryAfter',
  RateLimit: 'RateLimit',
  'RateLimit-Policy': 'RateLimitPolicy',
} as const
const PAID_HEADERS = [
  'X-Service-Charged-Micros',
  'X-Service-Original-Charged-Micros',
  'X-Service-Job-Id',
  'Idempotency-Replayed',
] as const

function referenceHeaders(names: readonly (keyof typeof HEADER_COMPONENTS)[]): Plain {
  return Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${HEADER_COMPONENTS[name]}` }]))
}

const HEADERS_BY_STATUS: Record<number, readonly (keyof typeof HEADER_COMPONENTS)[]> = {
  402: ['PAYMENT-REQUIRED'],
  429: ['Retry-After', 'RateLimit', 'RateLimit-Policy'],
  503: ['Retry-After'],
}

function buildProblemSchema({ problemSchema }: Entry, isOffer: boolean): Plain {
  if (problemSchema) return toPlainSchema(problemSchema)
  return { $ref: `#/components/schemas/${isOffer ? 'PaymentRequired' : 'Error'}` }
}

function buildProblemResponse(entry: Entry, status: number, codes: readonly ProblemCode[]): Plain {
  const lines = codes.map(code => `- \`${wireCode(code)}\`: ${describeProblem(code)}`)
  const isOffer = status === 402 && isPaid(entry)
  const offersSignIn = status === 401 && entry.auth.includes('wallet')
  const headers = offersSignIn ? (['PAYMENT-REQUIRED'] as const) : (HEADERS_BY_STATUS[status] ?? [])
  return {
    description: [`${STATUS_CODES[status] ?? 'Refused'}.`, '', ...new Set(lines)].join('\n'),
    headers: referenceHeaders(['X-Request-Id', ...headers]),
    content: { 'application/json': { schema: buildProblemSchema(entry, isOffer) } },
  }
}
