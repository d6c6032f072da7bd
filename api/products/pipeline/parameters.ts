import { Problem } from '#kit'
import type { GivenStep } from './file-steps.ts'

export const PARAMETER_TYPES = ['string', 'integer', 'number', 'boolean', 'array', 'object'] as const

export interface Parameter {
  type: (typeof PARAMETER_TYPES)[number]
  default?: unknown
  required?: boolean
  description?: string
}

type Parameters = Readonly<Record<string, Parameter>>
type Path = readonly (string | number)[]

/** A place in a step that is filled with the value of a parameter. */
export interface Placeholder {
  stepIndex: number
  /** Below `params` of the step. */
  path: Path
  name: string
}

/** What is put there runs as SQL, so it may be no text of a caller. */
const CODE_FIELDS = new Set(['sql', 'expr', 'where', 'having'])

export function listPlaceholders(steps: readonly GivenStep[]): Placeholder[] {
  return steps.flatMap(({ params }, stepIndex) =>
    findPlaceholders(params, []).map(({ path, name }) => ({ stepIndex, path, name })),
  )
}

function findPlaceholders(value: unknown, path: Path): Pick<Placeholder, 'path' | 'name'>[] {
  if (typeof value !== 'object' || value === null) return []
  const name = readPlaceholder(value)
  if (name !== undefined) return [{ path, name }]
  const entries: [string | number, unknown][] = Array.isArray(value)
    ? value.map((item, index) => [index, item])
    : Object.entries(value)
  return entries.flatMap(([key, inner]) => findPlaceholders(inner, [...path, key]))
}

/** `{ "param": "name" }`, and nothing else in it. */
function readPlaceholder(value: object): string | undefined {
  const [key, ...others] = Object.keys(value)
  const { param } = value as { param?: unknown }
  return key === 'param' && others.length === 0 && typeof param === 'string' ? param : undefined
}

/** Every placeholder has a parameter, every parameter a placeholder, and no text becomes SQL. */
export function checkPlaceholders(parameters: Parameters, placeholders: readonly Placeholder[]): void {
  for (const placeholder of placeholders) checkPlaceholder(parameters, placeholder)
  for (const [name, parameter] of Object.entries(parameters)) {
    const field = `params.${name}`
    if (!placeholders.some(each => each.name === name)) throw invalid({ field, reason: 'no step uses this parameter' })
    checkDefault(field, parameter)
  }
}

function checkPlaceholder(parameters: Parameters, { stepIndex, path, name }: Placeholder): void {
  const field = ['steps', stepIndex, 'params', ...path].join('.')
  const known = Object.keys(parameters)
  if (!known.includes(name)) throw invalid({ stepIndex, field, reason: 'the parameter is not declared', name, known })
  const place = String(path.findLast(key => typeof key === 'string'))
  const isCode = CODE_FIELDS.has(place) && parameters[name]!.type !== 'object'
  const reason = 'a parameter cannot be SQL; bind it by the `params` of data/sql, or use a condition'
  if (isCode) throw invalid({ stepIndex, field, reason, name })
}

function checkDefault(field: string, parameter: Parameter): void {
  if (parameter.default === undefined) return
  if (parameter.required)
    throw new Problem('CONFLICTING_OPTIONS', { fields: [`${field}.required`, `${field}.default`] })
  checkValue(`${field}.default`, parameter, parameter.default)
}

function invalid(hints: object): Problem {
  return new Problem('PIPELINE_INVALID', { ...hints })
}

/** The values of one call. What is neither given nor has a default is undefined. */
export function readValues(parameters: Parameters, given: Readonly<Record<string, unknown>>): Map<string, unknown> {
  const known = Object.keys(parameters)
  const stray = Object.keys(given).find(name => !Object.hasOwn(parameters, name))
  if (stray !== undefined) throw new Problem('UNKNOWN_FIELD', { field: `params.${stray}`, known })
  return new Map(
    Object.entries(parameters).map(([name, parameter]) => {
      const field = `params.${name}`
      if (!Object.hasOwn(given, name)) {
        if (isRequired(parameter)) throw new Problem('MISSING_FIELD', { field, expected: parameter.type })
        return [name, parameter.default]
      }
      checkValue(field, parameter, given[name])
      return [name, given[name]]
    }),
  )
}

function isRequired({ required, default: byDefault }: Parameter): boolean {
  return required ?? byDefault === undefined
}

function checkValue(field: string, { type }: Parameter, value: unknown): void {
  if (!isOfType(type, value)) throw new Problem('INVALID_PARAM', { field, expected: type })
  if (holdsCode(value)) throw new Problem('INVALID_PARAM', { field, reason: 'a parameter cannot hold SQL' })
}

function isOfType(type: Parameter['type'], value: unknown): boolean {
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  if (type === 'integer') return Number.isSafeInteger(value)
  return typeof value === type
}

function holdsCode(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(
    ([key, inner]) => (CODE_FIELDS.has(key) && typeof inner === 'string') || holdsCode(inner),
  )
}

/** Puts whole values in the places of their parameters. Where there is none, the field or item is left out. */
export function fillIn(steps: readonly GivenStep[], values: ReadonlyMap<string, unknown>): GivenStep[] {
  return steps.map(step => ({ ...step, params: fill(step.params, values) as GivenStep['params'] }))
}

function fill(value: unknown, values: ReadonlyMap<string, unknown>): unknown {
  if (typeof value !== 'object' || value === null) return value
  const name = readPlaceholder(value)
  if (name !== undefined) return structuredClone(values.get(name))
  if (Array.isArray(value)) return value.map(item => fill(item, values)).filter(item => item !== undefined)
  const filled = Object.entries(value).map(([key, inner]) => [key, fill(inner, values)] as const)
  return Object.fromEntries(filled.filter(([, inner]) => inner !== undefined))
}
