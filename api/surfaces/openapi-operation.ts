import type { TSchema } from 'typebox'
import { type AuthMode, type Entry, PRICE_CEILING, PRICE_FLOOR } from '#kit'
import { type FileFields, fileFieldsOf } from '../intake/file-fields.ts'
import { examplesOf } from './openapi-examples.ts'
import { responsesOf } from './openapi-responses.ts'
import { BINARY, type Plain, plainSchema } from './plain-schema.ts'
import { isPaid, operationId, priceInWords, rateOf, type SurfaceOptions } from './surface.ts'

/** One entry as an OpenAPI operation object. */
export function operationObject(entry: Entry, options: SurfaceOptions, isPayable: boolean): Plain {
  const { family, summary, body } = entry
  return {
    operationId: operationId(entry),
    summary,
    description: describe(entry, options),
    tags: [family],
    security: securityOf(entry.auth, isPayable),
    parameters: parametersOf(entry),
    ...(body ? { requestBody: requestBody(entry, body) } : {}),
    responses: responsesOf(entry),
    ...(isPaid(entry) ? { 'x-svc-price': priceTag(entry, options) } : {}),
    ...(entry.kind === 'operation' ? { 'x-svc-available': options.available?.(entry.name) ?? true } : {}),
  }
}

function describe(entry: Entry, { rateOf: overrides, available }: SurfaceOptions): string {
  const missing = entry.kind === 'operation' && available?.(entry.name) === false
  const said = [
    entry.description ?? entry.summary,
    isPaid(entry) ? `Price: ${priceInWords(entry, overrides)}.` : 'Free.',
    missing &&
      'What this needs is not installed on this service at present; it answers 503 before any payment is asked.',
  ]
  return said.filter(Boolean).join('\n\n')
}

function priceTag(entry: Entry, { rateOf: overrides }: SurfaceOptions): Plain | undefined {
  if (!isPaid(entry)) return undefined
  const { unit, baseMicros, basis } = entry.price
  return {
    unit,
    rateMicros: String(rateOf(entry, overrides)),
    baseMicros: String(baseMicros),
    floorMicros: String(PRICE_FLOOR),
    ceilingMicros: String(PRICE_CEILING),
    basis,
  }
}

const SCHEME: Record<AuthMode, Plain> = {
  key: { bearer: [] },
  wallet: { bearer: [] },
  x402: { x402: [] },
  session: { session: [] },
  none: {},
}
const SIGN_IN: Plain = { signInWithX: [] }

/** Where wallets pay, one may also show by each request who it is, instead of by a token. */
function securityOf(auth: readonly AuthMode[], isPayable: boolean): Plain[] {
  if (auth.every(mode => mode === 'none')) return []
  const signIn = isPayable && auth.includes('wallet') ? [SIGN_IN] : []
  const all = [...auth.map(mode => SCHEME[mode]), ...signIn]
  return [...new Map(all.map(scheme => [JSON.stringify(scheme), scheme])).values()]
}

function parametersOf(entry: Entry): Plain[] {
  return [
    ...pathParameters(entry),
    ...listed(entry.query, 'query'),
    ...listed(entry.headers, 'header'),
    ...(isPaid(entry) && entry.method !== 'GET' ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ...(entry.kind === 'operation' ? [{ $ref: '#/components/parameters/Prefer' }] : []),
  ]
}

/** A parameter that stands in the path without being declared is a string. */
function pathParameters({ path, params }: Entry): Plain[] {
  const declared = new Map(listed(params, 'path').map(parameter => [parameter.name, parameter]))
  return [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => {
    const found = declared.get(name) ?? { schema: { type: 'string' } }
    return { ...found, name, in: 'path', required: true }
  })
}

function listed(schema: TSchema | undefined, place: 'path' | 'query' | 'header'): Plain[] {
  if (!schema) return []
  const { properties = {}, required = [] } = plainSchema(schema) as {
    properties?: Record<string, Plain>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description, ...field }]) => ({
    name,
    in: place,
    required: required.includes(name),
    ...(description ? { description } : {}),
    schema: field,
  }))
}

function requestBody(entry: Entry, body: TSchema): Plain {
  const schema = plainSchema(body)
  const examples = examplesOf(entry.examples)
  const json = { 'application/json': { schema, ...(examples ? { examples } : {}) } }
  const required = entry.kind === 'operation' || !isOptional(schema)
  const files = fileFieldsOf(body)
  if (entry.kind !== 'operation' || files.size === 0) return { required, content: json }
  const isRaw = files.get('file') === 'one'
  return {
    required,
    description: `As JSON;${isRaw ? RAW_BODY : ''} or as a form with a part for each file.`,
    content: {
      ...json,
      ...(isRaw ? { 'application/octet-stream': { schema: BINARY } } : {}),
      'multipart/form-data': formOf(files),
    },
  }
}

const RAW_BODY = ' or the raw bytes of `file`, of any content type, with the options as query parameters;'

function isOptional({ required, oneOf, anyOf }: Plain): boolean {
  return !required && !oneOf && !anyOf
}

/** The options are those of the JSON body; printing them a second time would double the document. */
function formOf(files: FileFields): Plain {
  const parts = [...files].map(([name, many]) => [name, many === 'many' ? { type: 'array', items: BINARY } : BINARY])
  const options = { type: 'object', description: 'The other fields of the JSON body.' }
  return {
    schema: { type: 'object', properties: { ...Object.fromEntries(parts), options } },
    encoding: { options: { contentType: 'application/json' } },
  }
}
