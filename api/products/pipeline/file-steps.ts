import {
  ALIASES_RULE,
  FILE_RULE,
  fieldEntries,
  findStepSources,
  type Operation,
  Problem,
  replaceAt,
  type StepSource,
} from '#kit'
import type { ApiContext } from '../../context.ts'
import { validate } from '../../intake/validate.ts'

// Decision 0205: allow steps on files, with limits.

/** A step as a call gives it. */
export interface GivenStep {
  op: string
  id?: string
  input?: string
  params: Record<string, unknown>
}

/** What an operation takes instead of a file. */
const INSTEAD = new Set(['text', 'texts'])
/** Of a call, not of a step. */
const CALL_FIELDS = ['async', 'dryRun', 'deliver', 'filename', 'inlineOutput']
/** Families whose operations run without programs and are always allowed. */
const TEXTS = /^(?:csv|text)\//
const INSTEAD_OF = 'call the operations one after another: {"file": {"inputKey": "<outputKey of the answer before>"}}'
/** Stands for a file that there is not yet. */
const STAND_IN = { text: 'x' }

/** Checks the steps on files as calls of their operations are, and fills in their defaults. */
export function checkFileSteps(
  { settings, catalog }: Pick<ApiContext, 'settings' | 'catalog'>,
  steps: readonly GivenStep[],
  firstInput: string,
): GivenStep[] {
  const rule = { isAllowed: settings.get('pipeline.allow_files'), max: settings.get('pipeline.max_file_steps') }
  let count = 0
  return steps.map((step, stepIndex) => {
    if (step.op.startsWith('data/')) return step
    const place = { step: step.id ?? `step${stepIndex + 1}`, stepIndex, op: step.op }
    if (!TEXTS.test(step.op)) requireAllowed(rule, ++count, place)
    const operation = catalog.operation(step.op.replace('/', '.'))
    if (!operation) throw new Problem('PIPELINE_INVALID', { ...place, reason: 'there is no such operation' })
    const before = steps[stepIndex - 1]
    const last = before ? (before.id ?? `step${stepIndex}`) : firstInput
    return { ...step, params: atPlace(place, () => checkParams(operation, addFile(operation, step, last))) }
  })
}

/** Every step starts an engine of its own, and all of them run in one job. */
function requireAllowed({ isAllowed, max }: { isAllowed: boolean; max: number }, count: number, place: object): void {
  if (!isAllowed)
    throw new Problem('MODE_DISABLED', {
      ...place,
      mode: 'steps on files',
      set: 'pipeline.allow_files',
      instead: INSTEAD_OF,
    })
  if (count > max)
    throw new Problem('PIPELINE_INVALID', {
      ...place,
      reason: 'too many steps work on images, PDFs and documents',
      max,
      set: 'pipeline.max_file_steps',
      instead: INSTEAD_OF,
    })
}

function atPlace<Value>(place: { stepIndex: number }, check: () => Value): Value {
  try {
    return check()
  } catch (error) {
    throw error instanceof Problem ? placeProblem(error, place) : error
  }
}

/** The one file of an operation may be left out, as the table of a step over tables may be. */
function addFile({ input }: Operation, { params, input: named }: GivenStep, last: string): Record<string, unknown> {
  const fields = fieldEntries(input)
  const takesFile = fields.some(([name, field]) => name === 'file' && FILE_RULE in field)
  const texts = fields.flatMap(([name, field]) => (INSTEAD.has(name) ? [name, ...listAliases(field)] : []))
  const isGiven = !takesFile || ['file', ...texts].some(name => params[name] !== undefined)
  if (!isGiven) return { ...params, file: { step: named ?? last } }
  if (named === undefined) return params
  throw new Problem('CONFLICTING_OPTIONS', { field: 'input', fields: ['input', 'params.file'] })
}

function listAliases(field: object): readonly string[] {
  return (field as Record<string, readonly string[] | undefined>)[ALIASES_RULE] ?? []
}

function checkParams({ input }: Operation, given: Record<string, unknown>): Record<string, unknown> {
  const stray = CALL_FIELDS.find(name => given[name] !== undefined)
  if (stray !== undefined)
    throw new Problem('UNKNOWN_FIELD', { field: stray, reason: 'it is of the call, not of a step' })
  const sources = findStepSources(input, given)
  for (const { value, path } of sources) checkSource(value, path.join('.'))
  const params = structuredClone(given)
  const standing = sources.reduce<unknown>((value, { path }) => replaceAt(value, path, { ...STAND_IN }), params)
  validate(input, standing)
  if (mayBeFile(input)) (standing as Record<string, unknown>).outFormat ??= 'file'
  return sources.reduce((value, { path, value: source }) => replaceAt(value, path, source), standing) as typeof given
}

/** A short text would be a field of the answer, which no other step can take. */
function mayBeFile(input: Operation['input']): boolean {
  const outFormat = fieldEntries(input).find(([name]) => name === 'outFormat')?.[1] as { enum?: string[] } | undefined
  return outFormat?.enum?.includes('file') === true
}

function checkSource(source: StepSource, field: string): void {
  const stray = Object.keys(source).find(name => name !== 'step' && name !== 'index')
  if (stray !== undefined) throw new Problem('UNKNOWN_FIELD', { field: `${field}.${stray}` })
  const { step, index } = source
  const isNamed = typeof step === 'string' || isPosition(step)
  if (!isNamed) throw new Problem('INVALID_PARAM', { field: `${field}.step`, expected: 'the id or position of a step' })
  if (index !== undefined && !isPosition(index)) throw new Problem('INVALID_PARAM', { field: `${field}.index`, min: 0 })
}

function isPosition(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

/** Names the step, and the fields by where they are in the body of the pipeline. */
function placeProblem({ code, hints }: Problem, place: { stepIndex: number }): Problem {
  const prefix = (field: unknown) => `steps.${place.stepIndex}.params.${String(field)}`
  const faults = hints.faults as { field: string }[] | undefined
  return new Problem(code, {
    ...hints,
    ...place,
    ...(hints.field !== undefined && { field: prefix(hints.field) }),
    ...(faults && { faults: faults.map(fault => ({ ...fault, field: prefix(fault.field) })) }),
  })
}
