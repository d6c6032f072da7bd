import type { TSchema } from 'typebox'
import { type AuthMode, type Entry, fieldEntries, formatUsd } from '#kit'
import { type FileFields, fileFieldsOf } from '../../intake/body/file-fields.ts'
import { describeMissing, isPaid, operationIdOf, priceOf, type SurfaceOptions } from '../entries.ts'
import { describePrice, type ListedPrice, listPrice } from '../prices.ts'
import { ANY_OBJECT } from './components.ts'
import { buildExamples } from './examples.ts'
import { BINARY, type Plain, toPlainSchema } from './plain-schema.ts'
import { buildResponses } from './responses.ts'

/** One entry as an OpenAPI operation object. */
export function buildOperation(entry: Entry, options: SurfaceOptions, isPayable: boolean): Plain {
  const { family, summary, body } = entry
  const isAvailable = options.isAvailable?.(entry.name) ?? true
  return {
    operationId: operationIdOf(entry),
    summary,
    description: describeOperation(entry, options),
    tags: [family],
    security: buildSecurity(entry.auth, isPayable),
    parameters: buildParameters(entry),
    ...(body ? { requestBody: buildRequestBody(entry, body) } : {}),
    responses: buildResponses(entry),
    ...(isPaid(entry) ? { 'x-svc-price': listPrice(priceOf(entry, options.ratesOf)) } : {}),
    ...(isPaid(entry) && isPayable && entry.auth.includes('x402')
      ? { 'x-payment-info': buildPaymentInfo(listPrice(priceOf(entry, options.ratesOf))) }
      : {}),
    ...(entry.kind === 'operation' || entry.tools.length > 0 || !isAvailable ? { 'x-svc-available': isAvailable } : {}),
  }
}

/** What discovery tools for x402 read. */
function buildPaymentInfo({ floorMicros, ceilingMicros }: ListedPrice): Plain {
  const [min, max] = [floorMicros, ceilingMicros].map(micros => formatUsd(BigInt(micros)))
  const price =
    min === max ? { mode: 'fixed', currency: 'USD', amount: min } : { mode: 'dynamic', currency: 'USD', min, max }
  return { price, protocols: [{ x402: {} }] }
}

const MISSING =
  'What this call needs is currently not installed, or not set, on this service. It returns 503 before any payment is requested.'

function describeOperation(entry: Entry, options: SurfaceOptions): string {
  const paragraphs = [
    entry.description ?? entry.summary,
    isPaid(entry) ? `Price: ${describePrice(entry, options.ratesOf)}.` : 'Free.',
    describeMissing(options, entry, MISSING),
  ]
  return paragraphs.filter(Boolean).join('\n\n')
}

const SECURITY_SCHEMES: Record<AuthMode, Plain> = {
  key: { bearer: [] },
  wallet: { bearer: [] },
  x402: { x402: [] },
  session: { session: [] },
  none: {},
}
const SIGN_IN: Plain = { signInWithX: [] }

/** If wallets can pay, a wallet can also sign in with each request instead of using a token. */
function buildSecurity(auth: readonly AuthMode[], isPayable: boolean): Plain[] {
  if (auth.every(mode => mode === 'none')) return []
  const signIn = isPayable && auth.includes('wallet') ? [SIGN_IN] : []
  const all = [...auth.map(mode => SECURITY_SCHEMES[mode]), ...signIn]
  return [...new Map(all.map(scheme => [JSON.stringify(scheme), scheme])).values()]
}

function buildParameters(entry: Entry): Plain[] {
  return [
    ...buildPathParameters(entry),
    ...listParameters(entry.query, 'query'),
    ...listParameters(entry.headers, 'header'),
    ...(isPaid(entry) && entry.method !== 'GET' && !declaresKey(entry)
      ? [{ $ref: '#/components/parameters/IdempotencyKey' }]
      : []),
    ...(isPaid(entry) ? [{ $ref: '#/components/parameters/MaxPrice' }] : []),
    ...(entry.kind === 'operation' ? [{ $ref: '#/components/parameters/Prefer' }] : []),
  ]
}

function declaresKey({ headers }: Entry): boolean {
  return headers !== undefined && fieldEntries(headers).some(([name]) => name === 'Idempotency-Key')
}

/** A path parameter that is not declared is a string. */
function buildPathParameters({ path, params }: Entry): Plain[] {
  const declared = new Map(listParameters(params, 'path').map(parameter => [parameter.name, parameter]))
  return [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => {
    const parameter = declared.get(name) ?? { schema: { type: 'string' } }
    return { ...parameter, name, in: 'path', required: true }
  })
}

function listParameters(schema: TSchema | undefined, location: 'path' | 'query' | 'header'): Plain[] {
  if (!schema) return []
  const { properties = {}, required = [] } = toPlainSchema(schema) as {
    properties?: Record<string, Plain>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description, ...field }]) => ({
    name,
    in: location,
    required: required.includes(name),
    ...(description ? { description } : {}),
    schema: field,
  }))
}

function buildRequestBody(entry: Entry, body: TSchema): Plain {
  const schema = toPlainSchema(body)
  const examples = buildExamples(entry.examples)
  const json = { 'application/json': { schema, ...(examples ? { examples } : {}) } }
  const required = entry.kind === 'operation' || !isOptional(schema)
  const files = fileFieldsOf(body)
  if (entry.kind !== 'operation' || files.size === 0) return { required, content: json }
  const isRaw = files.get('file') === 'one'
  return {
    required,
    description: `As JSON;${isRaw ? RAW_BODY : ''} or as a form with one part per file.`,
    content: {
      ...json,
      ...(isRaw ? { 'application/octet-stream': { schema: BINARY } } : {}),
      'multipart/form-data': buildForm(files),
    },
  }
}

const RAW_BODY = ' or the raw bytes of `file`, of any content type, with the options as query parameters;'

function isOptional({ required, oneOf, anyOf }: Plain): boolean {
  return !required && !oneOf && !anyOf
}

/** The options are those of the JSON body; repeating them would double the size of the document. */
function buildForm(files: FileFields): Plain {
  const parts = [...files].map(([name, cardinality]) => [
    name,
    cardinality === 'many' ? { type: 'array', items: BINARY } : BINARY,
  ])
  const options = { ...ANY_OBJECT, description: 'The other fields of the JSON body.' }
  return {
    schema: { type: 'object', properties: { ...Object.fromEntries(parts), options } },
    encoding: { options: { contentType: 'application/json' } },
  }
}
