import { Liquid, type Template } from 'liquidjs'
import { Problem } from '#kit'
import { createEscaper } from '../../tasks/formats/mustache/escape.ts'
import type { TemplateOptions } from '../../tasks/formats/mustache/render.ts'

export function bind() {
  return { render }
}

const MAX_TEMPLATE_CHARACTERS = 1_000_000
const MAX_RENDER_MS = 1000
const MAX_MEMORY_UNITS = 10_000_000

/** Templates are untrusted: partials are read from memory only, and inherited properties are hidden. */
async function render({ template, partials, scopes, ...options }: TemplateOptions): Promise<string[]> {
  const engine = new Liquid({
    templates: partials,
    ownPropertyOnly: true,
    strictVariables: options.strictVariables,
    strictFilters: true,
    lenientIf: true,
    preserveTimezones: true,
    parseLimit: MAX_TEMPLATE_CHARACTERS,
    renderLimit: MAX_RENDER_MS,
    memoryLimit: MAX_MEMORY_UNITS,
    ...(options.escape !== 'none' && { outputEscape: createEscaper(options.escape) }),
  })
  correctFilters(engine)
  correctDates(engine)
  delete engine.tags.layout
  delete engine.tags.block
  try {
    const parsed: Template[] = engine.parse(template)
    return scopes.map(scope => String(engine.renderSync(parsed, scope)))
  } catch (error) {
    throw toProblem(error as Error)
  }
}

/** How many arguments a filter needs at least. The engine computes with those that are missing as undefined. */
const NEEDED_ARGUMENTS: Record<string, number> = {
  ...{ append: 1, prepend: 1, remove: 1, remove_first: 1, remove_last: 1, replace: 1, replace_first: 1 },
  ...{ replace_last: 2, split: 1, slice: 1, plus: 1, minus: 1, times: 1, divided_by: 1, modulo: 1 },
  ...{ at_least: 1, at_most: 1, map: 1, where: 1, reject: 1, find: 1, find_index: 1, has: 1, group_by: 1, concat: 1 },
}

type Handler = (this: FilterContext, value: unknown, ...values: unknown[]) => unknown
interface FilterContext {
  token?: { args: readonly unknown[] }
}

/** Makes filters behave as in Liquid itself: whole numbers divide to whole numbers, and mistakes are errors. */
function correctFilters(engine: Liquid): void {
  for (const [name, needed] of Object.entries(NEEDED_ARGUMENTS)) {
    const filter = engine.filters[name]
    if (filter === undefined) continue
    const original = (typeof filter === 'function' ? filter : filter.handler) as Handler
    const handler = correctFilter(name, needed, original)
    engine.registerFilter(name, typeof filter === 'function' ? handler : { ...filter, handler })
  }
}

const DATE_FILTERS = ['date', 'date_to_xmlschema', 'date_to_rfc822', 'date_to_string', 'date_to_long_string']
const OFFSET = /[+-]\d\d:?\d\d$/
const TIME_WITH_OFFSET = /\d:\d\d(?::\d\d(?:\.\d+)?)?\s*[+-]\d\d:?\d\d$/

/** A date keeps the offset that is written after its time; the engine takes the year of 01-03-2024 for one as well. */
function correctDates(engine: Liquid): void {
  for (const name of DATE_FILTERS) {
    const original = engine.filters[name] as Handler
    engine.registerFilter(name, function (this: FilterContext, value: unknown, ...values: unknown[]) {
      return original.call(this, readDate(value), ...values)
    })
  }
}

function readDate(value: unknown): unknown {
  if (typeof value !== 'string' || !OFFSET.test(value) || TIME_WITH_OFFSET.test(value)) return value
  const date = new Date(value)
  return Number.isNaN(date.getTime()) ? value : date
}

function correctFilter(name: string, needed: number, original: Handler): Handler {
  const isDivision = name === 'divided_by' || name === 'modulo'
  return function (value, ...values) {
    if (values.length < needed) throw new Error(`${name} needs at least ${needed} argument(s)`)
    if (isDivision && Number(values[0]) === 0) throw new Error(`${name}: a number cannot be divided by 0`)
    const answer = original.call(this, value, ...values)
    return name === 'divided_by' && areWhole(value, values[0], this) ? Math.floor(answer as number) : answer
  }
}

/** A divisor written as 2.0 asks for decimals, though its value is the same as that of 2. */
function areWhole(value: unknown, divisor: unknown, { token }: FilterContext): boolean {
  const [written] = token?.args ?? []
  const text = (written as { getText?: () => string } | undefined)?.getText?.() ?? ''
  return [value, divisor].every(isWhole) && !/^-?\d+\./.test(text)
}

function isWhole(value: unknown): boolean {
  return typeof value === 'string' ? /^-?\d+$/.test(value.trim()) : Number.isInteger(value)
}

/** The engine reports the kind of error by name, and the line only within the message. */
function toProblem(error: Error): unknown {
  const { message } = error
  if (error instanceof Problem) return error
  if (/limit exceeded/.test(message)) return toLimitProblem(message)
  const line = Number(/line:(\d+)/.exec(message)?.[1] ?? 1)
  const name = /undefined variable: ([^,]+)/.exec(message)?.[1]
  if (name !== undefined) return new Problem('TEMPLATE_VARIABLE', { name, line })
  const detail = message.split('\n')[0]!.slice(0, 200)
  const isKnown = /^(?:ParseError|RenderError|TokenizationError|AssertionError|LiquidErrors|ENOENT)$/.test(error.name)
  if (isKnown || message.startsWith('ENOENT')) return new Problem('TEMPLATE_SYNTAX', { line, detail })
  return error instanceof RangeError ? new Problem('TEMPLATE_SYNTAX', { line, detail: 'nested too deep' }) : error
}

function toLimitProblem(message: string): Problem {
  if (/memory/.test(message)) return new Problem('MEMORY_LIMIT_EXCEEDED')
  if (/parse/.test(message)) return new Problem('TEMPLATE_SYNTAX', { detail: message.slice(0, 200) })
  return new Problem('TIME_LIMIT_EXCEEDED', { limitSeconds: MAX_RENDER_MS / 1000 })
}
