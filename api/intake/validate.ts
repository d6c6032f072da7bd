import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import type { TSchema } from 'typebox'
import { type Hints, Problem } from '#kit'

const ajv = new Ajv2020({
  strict: false,
  coerceTypes: false,
  removeAdditional: false,
  useDefaults: true,
  discriminator: true,
  validateFormats: false,
  logger: false,
})
/** Query strings and headers have no types of their own. */
const textAjv = new Ajv2020({
  strict: false,
  coerceTypes: 'array',
  useDefaults: true,
  validateFormats: false,
  logger: false,
})

const compiled = new WeakMap<TSchema, ValidateFunction>()

/** Checks a body against its schema and fills the defaults in; each schema is compiled when it is first needed. */
export function validate(schema: TSchema, body: unknown): void {
  check(ajv, schema, body)
}

/** The same for what arrives as text. */
export function validateText(schema: TSchema, values: unknown): void {
  check(textAjv, schema, values)
}

function check(compiler: Ajv2020, whole: TSchema, body: unknown): void {
  const schema = armOf(whole, body)
  let test = compiled.get(schema)
  if (!test) {
    test = compiler.compile(schema)
    compiled.set(schema, test)
  }
  if (!test(body)) throw problemOf(test.errors!, schema)
}

/** Of a union on a key only the arm that was asked for is checked: defaults are filled in and errors speak of it. */
function armOf(schema: TSchema, body: unknown): TSchema {
  const { oneOf, discriminator } = schema as { oneOf?: TSchema[]; discriminator?: { propertyName: string } }
  if (!oneOf || !discriminator || typeof body !== 'object' || body === null) return schema
  const tag = discriminator.propertyName
  const asked = (body as Record<string, unknown>)[tag]
  const arms = oneOf as { properties: Record<string, { const?: unknown; enum?: unknown[] }> }[]
  const words = arms.flatMap(arm => arm.properties[tag]!.enum ?? [arm.properties[tag]!.const])
  if (asked === undefined) throw new Problem('MISSING_FIELD', { field: tag, allowed: words })
  const index = arms.findIndex(arm => (arm.properties[tag]!.enum ?? [arm.properties[tag]!.const]).includes(asked))
  if (index < 0) throw new Problem('INVALID_PARAM', { field: tag, allowed: words })
  return oneOf[index]!
}

function problemOf(errors: ErrorObject[], schema: TSchema): Problem {
  const told = errors.filter(({ keyword }) => keyword !== 'oneOf' && keyword !== 'anyOf')
  const unknown = told.find(({ keyword }) => keyword === 'additionalProperties')
  const [first] = told.length > 0 ? told : errors
  return describe(unknown ?? first!, schema)
}

function describe(error: ErrorObject, schema: TSchema): Problem {
  const { keyword, params, instancePath, message } = error
  const at = fieldOf(instancePath)
  if (keyword === 'additionalProperties') {
    const name = String(params.additionalProperty)
    const known = Object.keys(
      (error.parentSchema as { properties?: object } | undefined)?.properties ?? propertiesAt(schema, error),
    )
    return new Problem('UNKNOWN_FIELD', { field: join(at, name), ...didYouMean(name, known) })
  }
  if (keyword === 'required') return new Problem('MISSING_FIELD', { field: join(at, String(params.missingProperty)) })
  if (keyword === 'discriminator')
    return new Problem('INVALID_PARAM', { field: join(at, String(params.tag)), reason: message })
  return new Problem('INVALID_PARAM', { field: at || 'body', reason: message, ...boundsOf(keyword, params) })
}

/** The fields a closed object knows, found by the path of the failing keyword. */
function propertiesAt(schema: TSchema, error: ErrorObject): object {
  const steps = error.schemaPath.replace(/^#\/?/, '').split('/').slice(0, -1)
  let place: unknown = schema
  for (const step of steps) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    place = (place as Record<string, unknown> | undefined)?.[decodeURIComponent(name)]
  }
  return (place as { properties?: object } | undefined)?.properties ?? {}
}

function boundsOf(keyword: string, params: Record<string, unknown>): Hints {
  const limit = params.limit
  switch (keyword) {
    case 'minimum':
    case 'minLength':
    case 'minItems':
      return { min: limit }
    case 'maximum':
    case 'maxLength':
    case 'maxItems':
      return { max: limit }
    case 'enum':
      return { allowed: params.allowedValues }
    case 'const':
      return { allowed: [params.allowedValue] }
    case 'type':
      return { expected: params.type }
    default:
      return {}
  }
}

function fieldOf(instancePath: string): string {
  return instancePath
    .slice(1)
    .split('/')
    .map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.')
}

function join(at: string, name: string): string {
  return at ? `${at}.${name}` : name
}

function didYouMean(name: string, known: string[]): Hints {
  const near = known
    .map(word => ({ word, distance: distance(name.toLowerCase(), word.toLowerCase()) }))
    .filter(({ word, distance: d }) => d <= Math.max(1, Math.floor(word.length / 3)))
    .sort((a, b) => a.distance - b.distance)[0]
  return near ? { didYouMean: near.word } : {}
}

/** How many single letters differ between two words. */
function distance(a: string, b: string): number {
  if (a.length > 64 || b.length > 64) return 64
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(change, row[j]! + 1, next[j - 1]! + 1))
    }
    row = next
  }
  return row[b.length]!
}
