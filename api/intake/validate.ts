import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { TSchema } from 'typebox'
import { fieldEntries, Problem } from '#kit'
import { findNearest } from '../../tasks/formats/words/nearest.ts'
import type { IncomingCall } from '../incoming-call.ts'
import { hasAliases, replaceAliases } from './validation/aliases.ts'
import { findFirst, listFaults, problemOf } from './validation/describe.ts'
import { describeField } from './validation/known-fields.ts'
import { readMeantWord } from './validation/meant-values.ts'
import { type Check, readOtherForms } from './validation/other-forms.ts'

interface Checker {
  /** Stops at the first fault, because a hostile body may have a million. */
  first: Ajv2020
  /** Finds every fault, for bodies that are small. */
  every: Ajv2020
  compiled: WeakMap<TSchema, ValidateFunction>
  compiledEvery: WeakMap<TSchema, ValidateFunction>
}

const JSON_OPTIONS = {
  strict: false,
  coerceTypes: false,
  removeAdditional: false,
  useDefaults: true,
  discriminator: true,
  validateFormats: false,
  verbose: true,
  logger: false,
} as const
/** Query strings and headers carry only text. */
const TEXT_OPTIONS = {
  strict: false,
  coerceTypes: 'array',
  useDefaults: true,
  validateFormats: false,
  verbose: true,
  logger: false,
} as const

const jsonChecker = createChecker(JSON_OPTIONS)
const textChecker = createChecker(TEXT_OPTIONS)

function createChecker(options: typeof JSON_OPTIONS | typeof TEXT_OPTIONS): Checker {
  return {
    first: new Ajv2020(options),
    every: new Ajv2020({ ...options, allErrors: true }),
    compiled: new WeakMap(),
    compiledEvery: new WeakMap(),
  }
}

/** Language models make the arguments of tools, so values in another form are read as what they can only mean (Decision 0860). */
type Reader = Pick<IncomingCall, 'isTool'>
const STRICT: Reader = {}

/**
 * Checks a body against its schema and fills the defaults in; each schema is compiled when it is first needed. Other
 * words for its fields are replaced first.
 */
export function validate(schema: TSchema, body: unknown, reader: Reader = STRICT): void {
  if (takesAliases(schema)) replaceAliases(schema, body)
  check(jsonChecker, schema, body, reader)
}

const aliased = new WeakMap<TSchema, boolean>()

function takesAliases(schema: TSchema): boolean {
  let takes = aliased.get(schema)
  if (takes === undefined) {
    takes = hasAliases(schema)
    aliased.set(schema, takes)
  }
  return takes
}

/** The same for values that arrive as text. */
export function validateText(schema: TSchema, values: unknown): void {
  if (takesAliases(schema)) replaceAliases(schema, values)
  check(textChecker, schema, values, STRICT)
}

/** A field that nothing reads would be silently ignored, such as a misspelt limit. */
export function rejectUnknownQuery(given: object, schema: TSchema | undefined): void {
  const { properties = {} } = (schema ?? {}) as { properties?: object }
  const field = Object.keys(given).find(name => !Object.hasOwn(properties, name))
  if (field !== undefined) throw new Problem('UNKNOWN_FIELD', { field, in: 'query', known: Object.keys(properties) })
}

/** Beside a JSON body the address has no fields: a dry run that is asked for there would be a paid run. */
export function rejectFieldsInQuery(given: object, schema: TSchema): void {
  const names = Object.keys(given)
  const known = names.length > 0 && fieldEntries(schema).find(([name]) => names.includes(name))
  if (known) throw new Problem('UNKNOWN_FIELD', { field: known[0], reason: 'It belongs into the JSON body.' })
}

function check(checker: Checker, whole: TSchema, body: unknown, reader: Reader): void {
  const schema = chooseAlternative(whole, body, reader)
  const hasOthers = reader.isTool === true && countFields(body) > 1
  const test = compile(checker.first, checker.compiled, schema)
  if (test(body)) return
  const first = findFirst(test.errors!, schema)
  if (!isSmall(body)) throw problemOf(first)
  const testAll = compile(checker.every, checker.compiledEvery, schema)
  const findFaults = (value: unknown) => (testAll(value) ? null : testAll.errors!)
  if (reader.isTool && takeOtherForms(body, { findFaults, hasOthers })) return
  throw problemOf(first, listFaults(findFaults(body) ?? [], schema))
}

/** As they were sent: the compiled check fills the defaults in. */
function countFields(body: unknown): number {
  return typeof body === 'object' && body !== null ? Object.keys(body).length : 0
}

/** Puts the forms that the schema wants into the body itself, which others hold by now. */
function takeOtherForms(body: unknown, test: Check): boolean {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return false
  const meant = readOtherForms(body, test)
  if (!meant) return false
  for (const name of Object.keys(body)) delete (body as Record<string, unknown>)[name]
  Object.assign(body, meant)
  return true
}

function compile(compiler: Ajv2020, compiled: WeakMap<TSchema, ValidateFunction>, schema: TSchema): ValidateFunction {
  let test = compiled.get(schema)
  if (!test) {
    test = compiler.compile(schema)
    compiled.set(schema, test)
  }
  return test
}

const SMALL_VALUES = 500

/** Whether a body has so few values that all its faults can be listed. */
function isSmall(body: unknown): boolean {
  const waiting = [body]
  for (let seen = 0; waiting.length > 0; seen++) {
    if (seen + waiting.length > SMALL_VALUES) return false
    const next = waiting.pop()
    if (typeof next !== 'object' || next === null) continue
    for (const name in next) {
      waiting.push((next as Record<string, unknown>)[name])
      if (seen + waiting.length > SMALL_VALUES) return false
    }
  }
  return true
}

/** Of a discriminated union only the chosen alternative is checked, so that defaults and errors belong to it. */
function chooseAlternative(schema: TSchema, body: unknown, { isTool }: Reader): TSchema {
  const { oneOf, discriminator } = schema as { oneOf?: TSchema[]; discriminator?: { propertyName: string } }
  if (!oneOf || !discriminator) return schema
  // The compiler looks at the alternatives of objects only, and would take anything else.
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new Problem('INVALID_PARAM', { field: 'body', reason: 'must be object', expected: 'object' })
  }
  const tag = discriminator.propertyName
  const asked = (body as Record<string, unknown>)[tag]
  const arms = oneOf as { properties: Record<string, { const?: unknown; enum?: unknown[] }> }[]
  const words = arms.flatMap(arm => arm.properties[tag]!.enum ?? [arm.properties[tag]!.const])
  if (asked === undefined) throw new Problem('MISSING_FIELD', { field: tag, ...describeField({ enum: words }) })
  const meant = !isTool || words.includes(asked) ? asked : readMeantWord(asked, words)
  const index = arms.findIndex(arm => (arm.properties[tag]!.enum ?? [arm.properties[tag]!.const]).includes(meant))
  if (index < 0) throw refuseTag(tag, asked, words)
  ;(body as Record<string, unknown>)[tag] = meant
  return oneOf[index]!
}

function refuseTag(tag: string, asked: unknown, words: readonly unknown[]): Problem {
  const names = words.filter(word => typeof word === 'string')
  const near = typeof asked === 'string' && findNearest(asked, names)
  return new Problem('INVALID_PARAM', { field: tag, allowed: words, ...(near && { didYouMean: near }) })
}
