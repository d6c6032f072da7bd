import {
  type Micros,
  type Outcome,
  type OutputFile,
  type OutputPart,
  PRICE_CEILING,
  Problem,
  type RunContext,
  type StepFile,
  type StepSource,
  type Warning,
} from '#kit'
import type { PipelineCall, PipelineResult } from './fields.ts'
import { type ListSources, listWanted, nameInputs, nameOf, type PlannedStep, planSteps } from './plan.ts'
import { divideCharge, exceedLimit, listAmounts, ratesOf } from './price.ts'
import { joinGroups, type ReturnedTable, TableRuns, type Tables } from './tables.ts'

type Context = Pick<RunContext, 'runStep' | 'progress'> & { duckdb: Tables }

/** What became of one step. */
interface StepReport {
  ms: number
  rowsIn?: number
  rowsOut?: number
  files?: number
  result?: Record<string, unknown>
  warnings: readonly Warning[]
}

/** Runs the steps in their order: neighbours over tables together in one database, steps on files one by one. */
export async function runPipeline(
  call: PipelineCall,
  context: Context,
  listSources?: ListSources,
): Promise<Outcome<PipelineResult>> {
  const run = new PipelineRun(call, context, listSources)
  await run.takeSteps()
  return run.answer()
}

class PipelineRun {
  readonly #call: PipelineCall
  readonly #context: Context
  readonly #planned: readonly PlannedStep[]
  readonly #wanted: readonly string[]
  readonly #tables: TableRuns
  readonly #reports = new Map<string, StepReport>()
  readonly #files = new Map<string, readonly StepFile[]>()
  readonly #fileMicros = new Map<number, bigint>()
  readonly #warnings: Warning[] = []

  constructor(call: PipelineCall, context: Context, listSources?: ListSources) {
    const inputs = nameInputs(call)
    this.#call = call
    this.#context = context
    this.#planned = planSteps(call.steps, Object.keys(inputs), listSources)
    this.#wanted = listWanted(call, this.#planned)
    this.#tables = new TableRuns(context.duckdb, call, { inputs, planned: this.#planned, wanted: this.#wanted })
    for (const [name, { path, type, sizeBytes, name: fileName = name }] of Object.entries(inputs))
      this.#files.set(name, [{ path, contentType: type, name: fileName, sizeBytes }])
  }

  async takeSteps(): Promise<void> {
    for (const group of joinGroups(this.#planned)) {
      this.#context.progress(this.#reports.size, this.#planned.length, 'step')
      if (group[0]!.isTable) await this.#runTables(group)
      else await this.#runOnFiles(group[0]!)
    }
  }

  async #runTables(group: readonly PlannedStep[]): Promise<void> {
    const { steps, warnings, files } = await this.#tables.run(group, this.#files)
    this.#warnings.push(...warnings)
    for (const { id, rowsIn, rowsOut, ms, warnings: own, facts } of steps) {
      this.#reports.set(id, { rowsIn, rowsOut, ms, warnings: own })
      if (facts.truncated === true) this.#warnings.push(warnOfCut(id, rowsOut))
    }
    for (const [id, file] of files) this.#files.set(id, [file])
  }

  async #runOnFiles(step: PlannedStep): Promise<void> {
    const stepIndex = this.#planned.indexOf(step)
    const { id, op } = step
    const operation = op.replace('/', '.')
    const started = performance.now()
    try {
      const { files, fields, warnings, chargeMicros } = await this.#context.runStep!({
        ...{ id, operation, input: step.params },
        rates: ratesOf(this.#call, operation),
        resolve: source => this.#resolve(source),
        approve: maxMicros => this.#approve(maxMicros),
      })
      const isWanted = this.#wanted.includes(id) && Object.keys(fields).length > 0
      const ms = Math.round(performance.now() - started)
      this.#files.set(id, files)
      this.#fileMicros.set(stepIndex, chargeMicros)
      const report = { ...readCounts(fields), ms, files: files.length, warnings }
      this.#reports.set(id, { ...report, ...(isWanted && { result: fields }) })
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      throw new Problem(error.code, { ...error.hints, step: id, stepIndex, op })
    }
  }

  #resolve(source: StepSource): readonly StepFile[] {
    const files = this.#files.get(nameOf(source, this.#planned)) ?? []
    if (source.index === undefined) return files
    const file = files[source.index]
    if (file) return [file]
    throw new Problem('BAD_RANGE', { field: 'index', max: files.length - 1, segment: String(source.index) })
  }

  /** The limit of the caller is what is held. Without one no step starts once those before cost what one call can. */
  #approve(micros: Micros): void {
    const { maxMicros } = this.#call
    const spent = listAmounts(this.#call, this.#fileMicros).reduce((sum, each) => sum + each, 0n)
    const limit = maxMicros === undefined ? PRICE_CEILING : BigInt(maxMicros)
    const isOver = maxMicros === undefined ? spent >= limit : spent + micros > limit
    if (isOver) throw exceedLimit(limit, spent + micros)
  }

  answer(): Outcome<PipelineResult> {
    const amounts = listAmounts(this.#call, this.#fileMicros)
    const charges = divideCharge(amounts)
    const steps = this.#call.steps.map(({ op }, index) => {
      const { id } = this.#planned[index]!
      const { warnings, ...report } = this.#reports.get(id)!
      return {
        id,
        op,
        ...report,
        chargedMicros: charges[index]!,
        ...(warnings.length > 0 && { warnings: [...warnings] }),
      }
    })
    const last = this.#tables.returned.get(this.#wanted.at(-1)!)
    const shown = last && { rowsOut: last.rows, columns: last.columns, preview: last.preview }
    const { saved } = this.#call
    const result = { ...shown, ...(saved && { pipeline: saved }), steps, ...this.#returnFiles() }
    const baseMicros = [...this.#fileMicros.values()].reduce((sum, each) => sum + each, 0n)
    return { result, baseMicros, warnings: this.#warnings }
  }

  /** One file as such, and those of several steps as a list. */
  #returnFiles(): Pick<PipelineResult, 'output' | 'files'> {
    const parts = this.#wanted.flatMap((id): OutputPart[] => {
      const table = this.#tables.returned.get(id)
      if (table) return [nameTable(id, table)]
      return (this.#files.get(id) ?? []).map(({ path, contentType, name }) => ({ path, contentType, name, step: id }))
    })
    if (this.#call.outputs || parts.length > 1) return { files: parts }
    const output = this.#tables.returned.get(this.#wanted[0]!)?.file ?? this.#files.get(this.#wanted[0]!)?.[0]
    return output ? { output: toOutput(output) } : {}
  }
}

function toOutput({ path, contentType, name }: OutputFile | StepFile): OutputFile {
  return { path, contentType, name }
}

/** The rows that a step on files counts, where these are tables. */
function readCounts({ rowsIn, rowsOut = rowsIn }: Record<string, unknown>): Pick<StepReport, 'rowsIn' | 'rowsOut'> {
  return typeof rowsIn === 'number' && typeof rowsOut === 'number' ? { rowsIn, rowsOut } : {}
}

function nameTable(id: string, { file, rows, format }: ReturnedTable): OutputPart {
  return { ...file, name: `${id}.${format}`, step: id, rows }
}

function warnOfCut(id: string, rows: number): Warning {
  const message = `The statement of ${id} has more than ${rows} rows: those after them are left out. Its maxRows is the limit.`
  return { code: 'TRUNCATED', message }
}
