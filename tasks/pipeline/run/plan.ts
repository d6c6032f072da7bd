import { type InputFile, Problem, type StepSource } from '#kit'
import { isTableStep, type PipelineStep } from './steps.ts'

export interface PlannedStep {
  id: string
  op: string
  isTable: boolean
  /** Of a step over tables: names of tables, by the role that they have in the step. */
  inputs: Record<string, string>
  /** The same of a step on files: names of files. */
  sources: readonly string[]
  params: Record<string, unknown>
}

/** The inputs of a call by name. */
export function nameInputs<File>({
  file,
  inputs,
}: {
  file?: File
  inputs?: Record<string, File>
}): Record<string, File> {
  if (file && inputs) throw new Problem('CONFLICTING_OPTIONS', { fields: ['file', 'inputs'] })
  const named = inputs ?? (file ? { input: file } : undefined)
  if (!named) throw new Problem('MISSING_FIELD', { field: 'file', oneOf: ['file', 'inputs'] })
  return named
}

/** Tells which results of steps a step on files takes. */
export type ListSources = (step: PipelineStep, stepIndex: number) => readonly StepSource[]

/** Finds what each step works on: only inputs of the call and steps before it. */
export function planSteps(
  steps: readonly PipelineStep[],
  names: readonly string[],
  listSources: ListSources = () => [],
): PlannedStep[] {
  const planned: PlannedStep[] = []
  for (const [stepIndex, step] of steps.entries()) {
    const id = step.id ?? `step${stepIndex + 1}`
    const known = [...names, ...planned.map(earlier => earlier.id)]
    const fail = (reason: string, hints: object = {}) =>
      new Problem('PIPELINE_INVALID', { step: id, stepIndex, op: step.op, reason, ...hints })
    if (known.includes(id)) throw fail('the id is taken')
    const isTable = isTableStep(step)
    const sources = isTable
      ? listTables(step, planned.at(-1)?.id ?? names[0]!)
      : listSources(step, stepIndex).map(source => nameOf(source, planned))
    const unknown = sources.find(name => !known.includes(name))
    if (unknown !== undefined) throw fail('no input or earlier step has this name', { name: unknown, known })
    const shared = { id, isTable, params: step.params }
    if (!isTable) planned.push({ ...shared, op: step.op, inputs: {}, sources })
    else planned.push({ ...shared, ...planTable(step, { sources, names, planned, fail }), sources: [] })
  }
  return planned
}

function listTables(step: PipelineStep, last: string): string[] {
  return [step.input ?? last, ...(step.with ?? [])]
}

interface Place {
  sources: readonly string[]
  names: readonly string[]
  planned: readonly PlannedStep[]
  fail(reason: string): Problem
}

/** A statement sees all tables that there are before it. */
function planTable(step: PipelineStep, { sources, names, planned, fail }: Place): Pick<PlannedStep, 'op' | 'inputs'> {
  const op = step.op.replace('data/', '')
  const tables = [...names, ...planned.filter(({ isTable }) => isTable).map(({ id }) => id)]
  return { op, inputs: assignRoles(op, sources, tables, fail) }
}

/** Steps are numbered from 0, as in problems. */
export function nameOf({ step }: StepSource, planned: readonly Pick<PlannedStep, 'id'>[]): string {
  return typeof step === 'number' ? (planned[step]?.id ?? String(step)) : step
}

function assignRoles(
  op: string,
  [first, ...others]: readonly string[],
  tables: readonly string[],
  fail: (reason: string) => Problem,
): Record<string, string> {
  if (op === 'union') {
    if (others.length === 0) throw fail('union needs other tables in `with`')
    return Object.fromEntries([first!, ...others].map((table, index) => [String(index), table]))
  }
  if (op === 'join' || op === 'diff') {
    if (others.length !== 1) throw fail(`${op} needs one other table in \`with\``)
    return { left: first!, right: others[0]! }
  }
  if (others.length > 0) throw fail(`${op} works on one table`)
  const all = op === 'sql' ? Object.fromEntries(tables.map(table => [table, table])) : {}
  return { ...all, input: first! }
}

/** The steps whose results are returned. */
export function listWanted(
  { output, outputs }: { output?: string; outputs?: readonly string[] },
  planned: readonly PlannedStep[],
): string[] {
  if (output !== undefined && outputs) throw new Problem('CONFLICTING_OPTIONS', { fields: ['output', 'outputs'] })
  const wanted = outputs ?? [output ?? planned.at(-1)!.id]
  const unknown = wanted.find(id => !planned.some(step => step.id === id))
  if (unknown !== undefined) throw new Problem('PIPELINE_INVALID', { reason: 'no step has this id', name: unknown })
  return [...wanted]
}

export type NamedInputs = Record<string, InputFile>
