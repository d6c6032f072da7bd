import { type Static, type TSchema, Type } from 'typebox'
import { Errors } from 'typebox/schema'
import { Choice, type Example, isProblemCode, PRICE_CEILING, Problem, usd } from '#kit'

/** What an operation of an operator may be priced by. */
const PRICED_UNITS = ['call', 'page', 'megapixel', 'mebibyte'] as const
export type PricedUnit = (typeof PRICED_UNITS)[number]

const NAME = '^[a-z][a-z0-9]{1,19}\\.[a-z][a-z0-9]*(-[a-z0-9]+)*$'
export const MAX_SECONDS = 600
const MAX_MEMORY_MB = 4096
/** A refusal in a log or in a list of an operator is one line. */
const MAX_REASON_LENGTH = 400

const Text = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: '\\S' })
const AnySchema = Type.Unsafe<TSchema>({ type: 'object' })

export const Author = Type.Object(
  {
    account: Type.Optional(Type.String({ pattern: '^[0-9a-fA-F-]{36}$' })),
    wallet: Type.Optional(Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' })),
    percent: Type.Integer({ minimum: 1, maximum: 100 }),
  },
  { additionalProperties: false },
)

/** What both forms of a plugin declare in the same way. */
export const COMMON_FIELDS = {
  name: Type.String({ pattern: NAME, maxLength: 60 }),
  summary: Text(200),
  description: Type.Optional(Text(2000)),
  keywords: Type.Optional(Text(500)),
  price: Type.Object({ usd: Type.String(), per: Choice(PRICED_UNITS) }, { additionalProperties: false }),
  errors: Type.Optional(Type.Array(Type.String())),
  examples: Type.Array(
    Type.Object(
      {
        title: Text(200),
        input: Type.Record(Type.String(), Type.Unknown()),
        answer: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
      },
      { additionalProperties: false },
    ),
    { minItems: 1, maxItems: 20 },
  ),
  author: Type.Optional(Author),
}

const Program = Type.Object({
  command: Type.Array(Text(4096), { minItems: 1, maxItems: 200 }),
  outputs: Type.Record(Type.String(), Type.Object({ type: Type.String(), name: Type.String() })),
  /** Whether what it prints is the rest of the answer, as JSON. */
  printsResult: Type.Boolean(),
  memoryMb: Type.Integer({ minimum: 16, maximum: MAX_MEMORY_MB }),
  processes: Type.Integer({ minimum: 1, maximum: 256 }),
})

const Declaration = Type.Object(
  {
    ...COMMON_FIELDS,
    input: AnySchema,
    output: AnySchema,
    limitSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_SECONDS })),
    program: Type.Optional(Program),
  },
  { additionalProperties: false },
)

/** An operation of an operator as data: `program` says how it is run, if it is not a module. */
export type PluginDeclaration = Static<typeof Declaration> & { examples: Example[] }

/** Checks everything that can be known without running anything. Throws PLUGIN_INVALID, with one reason. */
export function readDeclaration(given: unknown): PluginDeclaration {
  requireShape(Declaration, given)
  const declared = given as PluginDeclaration
  const { price, errors = [] } = declared
  if (!isPrice(price.usd)) throw invalid('price.usd must be dollars of one unit as text, from 0.000001 to 1')
  const unknown = errors.find(code => !isProblemCode(code))
  if (unknown !== undefined) throw invalid(`errors: there is no problem ${unknown}`)
  for (const field of ['input', 'output'] as const) {
    if ((declared[field] as { type?: unknown }).type !== 'object')
      throw invalid(`${field} must be the schema of an object`)
  }
  return declared
}

export function requireShape(schema: TSchema, given: unknown): void {
  const [isValid, found] = Errors(schema, given)
  if (isValid) return
  const errors = found.filter(({ keyword }) => keyword !== 'boolean')
  const { instancePath, message, keyword, params } = errors[0] as (typeof errors)[number] & { params: object }
  const place = instancePath.slice(1).replaceAll('/', '.')
  const names = Object.values(params).flat().join(', ')
  if (keyword === 'required') throw invalid(`${[place, names].filter(Boolean).join('.')} is missing`)
  if (keyword === 'additionalProperties') throw invalid(`${place || 'it'} has a field that is unknown: ${names}`)
  const isName = place === 'name' && keyword === 'pattern'
  throw invalid(isName ? 'name must be family.verb in lower case, such as acme.stamp' : `${place || 'it'} ${message}`)
}

function isPrice(text: string): boolean {
  try {
    const micros = usd(text)
    return micros > 0n && micros <= PRICE_CEILING
  } catch {
    return false
  }
}

/** The reason why a plugin is refused, as one line. */
export function invalid(reason: string): Problem {
  return new Problem('PLUGIN_INVALID', { reason: toLine(reason) })
}

export function toLine(text: string): string {
  return text
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, MAX_REASON_LENGTH)
}
