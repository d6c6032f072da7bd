import { type InputFile, markInputFile, Problem, type StepFile, type Tools } from '#kit'
import { TABLE_TYPES } from '../../formats/tables/steps/input.ts'
import type { PipelineCall } from './fields.ts'
import type { NamedInputs, PlannedStep } from './plan.ts'

export type Tables = Tools['duckdb']
type Answer = Awaited<ReturnType<Tables['run']>>
export type ReturnedTable = Answer['outputs'][number]

/** Neighbouring steps over tables are one group; a step on files is alone. */
export function joinGroups(planned: readonly PlannedStep[]): PlannedStep[][] {
  const groups: PlannedStep[][] = []
  for (const step of planned) {
    const last = groups.at(-1)
    if (step.isTable && last?.[0]?.isTable) last.push(step)
    else groups.push([step])
  }
  return groups
}

interface Plan {
  inputs: NamedInputs
  planned: readonly PlannedStep[]
  wanted: readonly string[]
}

/** The runs of the groups of steps over tables. What one leaves for another keeps its types as Parquet. */
export class TableRuns {
  /** The tables that the call returns, by the id of their step. */
  readonly returned = new Map<string, ReturnedTable>()
  readonly #tables: Tables
  readonly #call: PipelineCall
  readonly #plan: Plan
  readonly #carried = new Map<string, InputFile>()

  constructor(tables: Tables, call: PipelineCall, plan: Plan) {
    this.#tables = tables
    this.#call = call
    this.#plan = plan
  }

  /** `files` are those of the inputs and of earlier steps. Returns also those that later steps on files need. */
  async run(group: readonly PlannedStep[], files: ReadonlyMap<string, readonly StepFile[]>) {
    const isAlone = group.length === this.#plan.planned.length
    const steps = isAlone ? group : group.map(step => this.#withoutOthers(step, files))
    const tables = isAlone ? this.#plan.inputs : this.#collect(steps, files)
    const later = this.#plan.planned.slice(this.#plan.planned.indexOf(group.at(-1)!) + 1)
    const written = group.filter(
      ({ id }) => this.#plan.wanted.includes(id) || later.some(({ sources }) => sources.includes(id)),
    )
    const carried = group.filter(({ id }) => later.some(({ inputs }) => Object.values(inputs).includes(id)))
    const { outFormat, outCsv, preview } = this.#call
    const shared = { outCsv, preview, ...(outFormat && { format: outFormat }) }
    const answer = await this.#attempt(group, () =>
      this.#tables.run({
        tables,
        steps: steps.map(({ id, op, inputs, params }) => ({ id, op, inputs, params })),
        outputs: [
          ...written.map(({ id }) => ({ from: id, ...shared })),
          ...carried.map(({ id }) => ({ from: id, outCsv, preview: 0, format: 'parquet' as const })),
        ],
      }),
    )
    this.#checkColumns(group, answer)
    for (const [index, { id }] of written.entries()) {
      if (this.#plan.wanted.includes(id)) this.returned.set(id, answer.outputs[index]!)
    }
    for (const [index, { id }] of carried.entries()) {
      const { path, contentType, name } = answer.outputs[written.length + index]!.file
      this.#carried.set(id, toInputFile({ path: path!, contentType, name, sizeBytes: 0 }))
    }
    const made = written.map(({ id }, index) => [id, toStepFile(answer.outputs[index]!)] as const)
    return { steps: answer.steps, warnings: answer.warnings, files: made }
  }

  /** A statement sees all tables, but not what is none. */
  #withoutOthers(step: PlannedStep, files: ReadonlyMap<string, readonly StepFile[]>): PlannedStep {
    if (step.op !== 'sql') return step
    const inputs = Object.entries(step.inputs).filter(([role, name]) => {
      const [file] = files.get(name) ?? []
      return role === 'input' || !file || this.#carried.has(name) || isTabular(file.contentType)
    })
    return { ...step, inputs: Object.fromEntries(inputs) }
  }

  #collect(group: readonly PlannedStep[], files: ReadonlyMap<string, readonly StepFile[]>): NamedInputs {
    const own = new Set(group.map(({ id }) => id))
    const tables: NamedInputs = {}
    for (const step of group) {
      for (const name of Object.values(step.inputs)) {
        if (own.has(name)) continue
        tables[name] =
          this.#plan.inputs[name] ?? this.#carried.get(name) ?? this.#readResult(name, step, files.get(name)!)
      }
    }
    return tables
  }

  /** What a step on files made can be a table. */
  #readResult(name: string, step: PlannedStep, files: readonly StepFile[]): InputFile {
    const [file, ...others] = files
    if (file && others.length === 0 && isTabular(file.contentType)) return toInputFile(file)
    const got = others.length > 0 ? `${files.length} files` : (file?.contentType ?? 'no file')
    throw new Problem('STEP_TYPE_MISMATCH', { expected: 'table', got, from: name, ...this.#nameStep(step) })
  }

  /** The database knows the steps of one group. */
  async #attempt<Value>(group: readonly PlannedStep[], work: () => Promise<Value>): Promise<Value> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      const step = group.find(({ id }) => id === error.hints.step) ?? (group.length === 1 ? group[0] : undefined)
      throw step ? new Problem(error.code, { ...error.hints, ...this.#nameStep(step) }) : error
    }
  }

  #checkColumns(group: readonly PlannedStep[], { steps }: Answer): void {
    for (const [index, step] of group.entries()) {
      const place = this.#nameStep(step)
      requireColumns(steps[index]!.columns, this.#call.steps[place.stepIndex]!.expectColumns, place)
    }
  }

  #nameStep(step: PlannedStep): { step: string; stepIndex: number; op: string } {
    const stepIndex = this.#plan.planned.findIndex(({ id }) => id === step.id)
    return { step: step.id, stepIndex, op: this.#call.steps[stepIndex]!.op }
  }
}

export function requireColumns(
  columns: readonly { name: string }[],
  expected: readonly string[] | undefined,
  place: { step: string; stepIndex: number; op: string },
): void {
  const names = columns.map(({ name }) => name)
  const missing = expected?.filter(column => !names.includes(column)) ?? []
  if (missing.length > 0) throw new Problem('SCHEMA_MISMATCH', { ...place, missing, columns: names })
}

const TABULAR = new Set<string>([...Object.values(TABLE_TYPES), 'application/octet-stream'])

function isTabular(type: string): boolean {
  return type.startsWith('text/') || TABULAR.has(type)
}

function toStepFile({ file }: ReturnedTable): StepFile {
  return { path: file.path!, contentType: file.contentType, name: file.name, sizeBytes: 0 }
}

function toInputFile({ path, contentType: type, name, sizeBytes }: StepFile): InputFile {
  const unread = () => {
    throw new Error('the database reads this file itself')
  }
  return markInputFile({ path, type, name, sizeBytes, facts: {}, bytes: unread, chunks: unread })
}
