import { FILE_RULE, findMarkedValues, findStepSources, Problem, SECRET_RULE, type StepSource } from '#kit'
import type { ApiContext } from '../../context.ts'
import { validate } from '../../intake/validate.ts'
import { checkFileSteps, type GivenStep } from './file-steps.ts'
import { checkPlaceholders, fillIn, listPlaceholders, type Parameter, type Placeholder } from './parameters.ts'

// Decision 0163: save pipelines as versions that never change.

/** A pipeline as it is saved. */
export interface Definition {
  description?: string
  params?: Record<string, Parameter>
  steps: GivenStep[]
  output?: string
  outputs?: string[]
  outFormat?: string
  /** The names of the inputs that a call gives. */
  inputs: string[]
}

/** Of the type alone, where a parameter has no default. */
const SAMPLES: Record<Parameter['type'], unknown> = {
  string: 'a',
  integer: 1,
  number: 1,
  boolean: true,
  array: [],
  object: {},
}

/** Checks a definition as a call would be, as far as it is known before there are values for its parameters. */
export function checkDefinition(
  context: Pick<ApiContext, 'settings' | 'catalog'>,
  given: Omit<Definition, 'inputs'>,
): Definition {
  const definition = { ...given, steps: given.steps.map(step => ({ ...step, params: step.params ?? {} })) }
  const parameters = definition.params ?? {}
  const placeholders = listPlaceholders(definition.steps)
  checkPlaceholders(parameters, placeholders)
  const samples = Object.entries(parameters).map(
    ([name, { type, default: byDefault = SAMPLES[type] }]) => [name, byDefault] as const,
  )
  const steps = fillIn(definition.steps, new Map(samples))
  const unknown = placeholders.filter(({ name }) => parameters[name]!.default === undefined)
  const pipeline = context.catalog.operation('pipeline.run')!
  const { output, outputs, outFormat } = definition
  const call = { file: { text: 'a' }, steps: structuredClone(steps), output, outputs, outFormat }
  tolerate(unknown, () => validate(pipeline.input, withoutUndefined(call)))
  const checked = checkSteps(context, steps, unknown)
  const inputs = listInputs(context, checked)
  refuseStored(context, checked, unknown)
  const named = Object.fromEntries(inputs.map(name => [name, {}]))
  pipeline.composition!.forCall({ steps: checked, output, outputs, inputs: named })
  return { ...definition, inputs }
}

/** Step by step, so that a fault in one that depends on a value hides none in another. */
function checkSteps(
  context: Pick<ApiContext, 'settings' | 'catalog'>,
  steps: readonly GivenStep[],
  unknown: readonly Placeholder[],
): GivenStep[] {
  return steps.map((step, index) => {
    const before = steps.slice(0, index + 1)
    const checked = tolerate(unknown, () => checkFileSteps(context, before, 'input').at(-1)!)
    return checked ?? step
  })
}

/** Passes over faults of fields whose values are not known yet. */
function tolerate<Value>(unknown: readonly Placeholder[], check: () => Value): Value | undefined {
  try {
    return check()
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const { field, faults = [{ field }] } = error.hints as { field?: string; faults?: { field?: string }[] }
    const places = unknown.map(({ stepIndex, path }) => ['steps', stepIndex, 'params', ...path].join('.'))
    const isKnown = faults.some(fault => !places.some(place => isNear(place, fault.field ?? '')))
    if (!isKnown) return undefined
    throw new Problem(error.code, { ...error.hints, ...indexOf(field) })
  }
}

function isNear(place: string, field: string): boolean {
  return (
    field === place || field.startsWith(`${place}.`) || (field.includes('.params.') && place.startsWith(`${field}.`))
  )
}

function indexOf(field = ''): { stepIndex?: number } {
  const index = /^steps\.(\d+)\b/.exec(field)?.[1]
  return index === undefined ? {} : { stepIndex: Number(index) }
}

function withoutUndefined(call: object): object {
  return Object.fromEntries(Object.entries(call).filter(([, field]) => field !== undefined))
}

/** Every name that is no step. A step that names none takes the first. */
function listInputs({ catalog }: Pick<ApiContext, 'catalog'>, steps: readonly GivenStep[]): string[] {
  const ids = new Set(steps.map(({ id }, index) => id ?? `step${index + 1}`))
  const names = steps.flatMap((step, index) => {
    const { input, with: others = [], op, params } = step as GivenStep & { with?: string[] }
    const operation = op.startsWith('data/') ? undefined : catalog.operation(op.replace('/', '.'))
    const sources = operation ? findStepSources(operation.input, params).map(({ value }) => value) : []
    const first = index === 0 && input === undefined && !operation ? ['input'] : []
    return [...first, ...(input === undefined ? [] : [input]), ...others, ...sources.flatMap(nameOf)]
  })
  const inputs = [...new Set(names)].filter(name => !ids.has(name))
  return inputs.length > 0 ? inputs : ['input']
}

function nameOf({ step }: StepSource): string[] {
  return typeof step === 'string' ? [step] : []
}

/** What is stored can be read again, so files and secrets are given by each call. */
function refuseStored(
  { catalog }: Pick<ApiContext, 'catalog'>,
  steps: readonly GivenStep[],
  unknown: readonly Placeholder[],
): void {
  for (const [stepIndex, { op, params }] of steps.entries()) {
    const schema = catalog.operation(op.replace('/', '.'))?.input
    if (!schema) continue
    const fieldOf = ({ path }: { path: readonly (string | number)[] }) =>
      ['steps', stepIndex, 'params', ...path].join('.')
    const given = unknown.filter(placeholder => placeholder.stepIndex === stepIndex).map(fieldOf)
    const [file] = findMarkedValues(FILE_RULE, schema, params).map(fieldOf)
    const secret = findMarkedValues(SECRET_RULE, schema, params)
      .map(fieldOf)
      .find(field => !given.includes(field))
    const reason = file
      ? 'a saved pipeline holds no files; name one of `inputs`'
      : 'a saved pipeline holds no secrets; make it a parameter without a default'
    if (file ?? secret) throw new Problem('PIPELINE_INVALID', { stepIndex, field: file ?? secret, reason })
  }
}
