import { rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { Problem, type ProblemCode, type Warning } from '#kit'
import type { TableFormat } from '../../../tasks/formats/tables/steps/input.ts'
import { Database } from './database.ts'
import { raceWithLimit } from './limit.ts'
import { canReadText, countUses, describeTexts } from './passes.ts'
import type { OutputCall, OutputReport, Plan, PlanReport, StepCall, StepReport } from './plan.ts'
import { mayComeFromSource, nameColumns, TypeGuessFailed } from './problems.ts'
import { loadTable } from './read/load.ts'
import { checkParquet, type LoadedTable } from './read/parquet.ts'
import { checkRowCount } from './read/raw-table.ts'
import { counted, type Relation, requireDistinctNames } from './relation.ts'
import { name as quote } from './sql-text.ts'
import { needsRows, requireSchemaFault } from './steps/describe/empty-run.ts'
import { STEPS } from './steps/index.ts'
import { Work } from './work.ts'
import { previewTable, writeSheets, writeTable } from './write/output.ts'

let calls = 0

/** Runs a plan in a database of its own. Types that were guessed wrongly are looked for in all rows the second time. */
export async function runPlan(files: readonly string[], plan: Plan, limitMs: number): Promise<PlanReport> {
  requireDistinctNames(Object.keys(plan.tables))
  const started = performance.now()
  try {
    return await tryPlan(files, plan, limitMs, true)
  } catch (error) {
    if (!(error instanceof TypeGuessFailed)) throw error
    return await tryPlan(files, plan, Math.max(1, limitMs - (performance.now() - started)), false)
  }
}

async function tryPlan(files: readonly string[], plan: Plan, limitMs: number, mayGuess: boolean): Promise<PlanReport> {
  const folder = resolve(dirname(files[0]!))
  const database = await Database.open({ folder, memoryMb: plan.memoryMb, spillMb: plan.spillMb })
  const run = new PlanRun(
    database,
    folder,
    files.map(file => join(folder, basename(file))),
    plan,
    mayGuess,
  )
  const { work, isLate } = raceWithLimit(database, run.perform(), limitMs)
  try {
    return await work
  } finally {
    // A query that was not stopped still uses the database; its process is not used again.
    if (!isLate()) setImmediate(() => database.close())
    await rm(join(folder, 'spill'), { recursive: true, force: true })
  }
}

/** Formats for which a table is not looked through before it is written. */
const READ_ONCE = new Set<TableFormat>(['csv', 'tsv', 'parquet'])

/** What a value can cause that the engine computes. */
const MAY_BE_EARLIER = new Set<ProblemCode>(['EXPRESSION_INVALID', 'SQL_RUNTIME', 'COLUMN_NOT_FOUND'])

class PlanRun {
  readonly #database: Database
  readonly #folder: string
  readonly #files: readonly string[]
  readonly #plan: Plan
  readonly #mayGuess: boolean
  readonly #work: Work
  readonly #relations = new Map<string, Relation>()
  readonly #loaded = new Map<string, LoadedTable>()
  readonly #leftOut = new Map<string, Problem>()
  readonly #warnings: Warning[] = []
  readonly #checks: Promise<unknown>[] = []

  constructor(database: Database, folder: string, files: readonly string[], plan: Plan, mayGuess: boolean) {
    this.#database = database
    this.#folder = folder
    this.#files = files
    this.#plan = plan
    this.#mayGuess = mayGuess
    this.#work = new Work(database, plan.memoryMb)
  }

  /** A wrong guess of types explains any other error, and without one the answer may still be wrong. */
  async perform(): Promise<PlanReport> {
    try {
      return await this.#takeSteps()
    } catch (error) {
      if (mayComeFromSource(error)) await this.#checkParquet()
      throw error
    } finally {
      await Promise.all(this.#checks)
    }
  }

  /** Parquet is read only as far as the steps need it, so damage in it may show in any of their queries. */
  async #checkParquet(): Promise<void> {
    for (const [name, { format }] of this.#loaded) {
      const file = this.#files[this.#plan.tables[name]!.file]!
      if (format === 'parquet') await checkParquet(this.#database, { file, as: `source ${name}` })
    }
  }

  async #takeSteps(): Promise<PlanReport> {
    await this.#loadAll()
    if (this.#plan.isDescription) return this.#describeSteps()
    const steps: StepReport[] = []
    for (const [index, step] of this.#plan.steps.entries()) {
      await this.#storeInputs(index)
      steps.push(await this.#takeStep(step))
    }
    const outputs: OutputReport[] = []
    const spilledFiles: string[] = []
    for (const output of this.#plan.outputs.filter(({ from }) => !this.#leftOut.has(from))) {
      await this.#storeOutput(output)
      outputs.push(await this.#naming(undefined, () => this.#write(output, spilledFiles)))
    }
    for (const [index, step] of this.#plan.steps.entries()) await this.#countRows(step, steps[index]!)
    const { sheets } = this.#firstTable()
    return { steps, outputs, warnings: this.#warnings, spilledFiles, ...(sheets && { sheets }) }
  }

  /** After the outputs, because writing them counts rows too. */
  async #countRows({ id, inputs }: StepCall, report: StepReport): Promise<void> {
    const count = (name: string) => this.#work.countRows(this.#relations.get(name)!)
    for (const name of Object.values(inputs)) report.rowsIn += await count(name)
    report.rowsOut = await count(id)
  }

  async #storeInputs(index: number): Promise<void> {
    for (const name of Object.values(this.#plan.steps[index]!.inputs)) {
      const table = this.#relations.get(name)!
      if (table.unread && !canReadText(this.#plan, index, table, name)) await this.#store(name, table)
    }
  }

  async #storeOutput({ from, format, workbook }: OutputCall): Promise<void> {
    for (const name of workbook?.sheets.map(sheet => sheet.from) ?? [from]) {
      const table = this.#relations.get(name)!
      if (table.unread && (workbook || !this.#isReadByOneFile(name, format))) await this.#store(name, table)
    }
  }

  async #store(name: string, table: Relation): Promise<void> {
    this.#relations.set(name, await this.#naming(undefined, () => this.#work.store(table)))
  }

  /** Whether a table is read by nothing but one output that reads it once. */
  #isReadByOneFile(name: string, format: OutputCall['format']): boolean {
    return READ_ONCE.has(format ?? this.#firstTable().format) && countUses(this.#plan, name) === 1
  }

  #firstTable(): LoadedTable {
    return this.#loaded.values().next().value!
  }

  /** The steps run over no rows. What only rows tell is left out, and all that follows from it. */
  async #describeSteps(): Promise<PlanReport> {
    const steps: StepReport[] = []
    for (const step of this.#plan.steps) {
      const isKnown = Object.values(step.inputs).every(name => this.#relations.has(name)) && !needsRows(step)
      const report = isKnown ? await this.#takeStep(step).catch(requireSchemaFault) : undefined
      if (report) steps.push(report)
    }
    return { steps, outputs: [], warnings: [], spilledFiles: [] }
  }

  async #loadAll(): Promise<void> {
    const names = Object.keys(this.#plan.tables)
    for (const name of names) await this.#load(name).catch(error => this.#leaveOut(name, error))
    if (this.#leftOut.size === names.length) throw this.#leftOut.get(names[0]!)!
  }

  /** What one of several sheets lacks is no fault of the others. */
  #leaveOut(name: string, error: unknown): void {
    const { sheet, settings } = this.#plan.tables[name]!
    if (!sheet?.mayBeLeftOut || !(error instanceof Problem) || error.code !== 'NOT_TABULAR') throw error
    this.#leftOut.set(name, error)
    const message = `The sheet ${settings.sheet} was left out: ${error.hints.detail}.`
    this.#warnings.push({ code: 'SHEET_LEFT_OUT', message })
  }

  async #load(name: string): Promise<void> {
    const { tables } = this.#plan
    const table = tables[name]!
    const as = `source ${name}`
    const file = this.#files[table.file]!
    const isShared = Object.values(tables).filter(other => other.file === table.file).length > 1
    const options = { as, file, isShared, mayGuess: this.#mayGuess, ...describeTexts(this.#plan, name) }
    const loaded = await this.#work.attempt(() => loadTable(this.#database, table, options))
    if (this.#plan.isDescription) {
      const empty = await this.#work.define(`SELECT * FROM ${quote(as)} LIMIT 0`, { isStored: true })
      this.#relations.set(name, { ...empty, columns: loaded.columns, rows: 0 })
      return
    }
    const counting = loaded.check?.().then(rows => {
      checkRowCount(rows)
      return rows
    })
    if (counting) this.#watch(counting)
    const several = Object.keys(tables).length > 1
    this.#warnings.push(
      ...loaded.warnings.map(warning => (several ? { ...warning, message: `${name}: ${warning.message}` } : warning)),
    )
    const { columns, rows, isUnread, empty, format, texts } = loaded
    const unread = isUnread && { unread: {} }
    this.#relations.set(name, { as: quote(as), columns, rows, counting, empty, format, texts, ...unread })
    this.#loaded.set(name, loaded)
  }

  /** After a failed check the plan runs again, so that what it computes now is of no use. */
  #watch(check: Promise<unknown>): void {
    check.catch(() => this.#database.interrupt())
    this.#checks.push(check)
  }

  async #takeStep({ id, op, inputs, params }: StepCall): Promise<StepReport> {
    const started = performance.now()
    const tables = Object.fromEntries(Object.entries(inputs).map(([role, from]) => [role, this.#relations.get(from)!]))
    const step = STEPS[op as keyof typeof STEPS]
    const output = this.#plan.outputs.find(({ from }) => from === id)
    this.#work.isLast = output !== undefined && !output.workbook && this.#isReadByOneFile(id, output.format)
    const {
      table,
      facts = {},
      warnings = [],
    } = await this.#naming(id, () =>
      this.#work
        .attempt(() => step(this.#work, tables as never, params as never))
        .catch(error => Promise.reject(nameColumns(error, Object.values(tables)))),
    )
    this.#relations.set(id, { texts: tables.input?.texts, ...table })
    const ms = Math.round(performance.now() - started)
    return { id, rowsIn: 0, rowsOut: 0, columns: [...table.columns], facts, warnings, ms }
  }

  /** Adds to a problem which step it is of: a view is computed while a later step or an output reads it. */
  async #naming<Value>(current: string | undefined, work: () => Promise<Value>): Promise<Value> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Problem) || this.#plan.steps.length === 1) throw error
      const step = (MAY_BE_EARLIER.has(error.code) ? await this.#findFailingView() : undefined) ?? current
      if (step === undefined) throw error
      throw new Problem(error.code, {
        ...error.hints,
        step,
        stepIndex: this.#plan.steps.findIndex(each => each.id === step),
      })
    }
  }

  /** The first step whose view cannot be computed. */
  async #findFailingView(): Promise<string | undefined> {
    for (const { id } of this.#plan.steps) {
      const table = this.#relations.get(id)
      if (!table || table.isStored) continue
      try {
        await this.#database.count(`SELECT bit_xor(hash(read)) FROM ${table.as} AS read`)
      } catch {
        return id
      }
    }
    return undefined
  }

  async #write(
    { from, format: wanted, outCsv, preview, workbook }: OutputCall,
    files: string[],
  ): Promise<OutputReport> {
    const first = this.#firstTable()
    const table = this.#relations.get(from)!
    const format = wanted ?? first.format
    const path = `out-${process.pid}-${++calls}.${format}`
    const { as: relation, columns, texts } = table
    const header = outCsv.header ?? first.hasHeader ?? true
    const delimiter = format === first.format ? first.outDelimiter : undefined
    const { rows, warnings } = await this.#work.attempt(() => {
      if (!workbook)
        return writeTable(
          this.#database,
          { relation, columns, texts, format, outCsv: { ...outCsv, header }, delimiter },
          join(this.#folder, path),
        )
      const sheets = workbook.sheets.map(sheet => ({
        name: sheet.name,
        relation: this.#relations.get(sheet.from)!.as,
        columns: this.#relations.get(sheet.from)!.columns,
      }))
      return writeSheets(this.#database, sheets, join(this.#folder, path), workbook.options)
    })
    this.#warnings.push(...warnings)
    if (!workbook) counted(table).rows = rows
    const shown = await this.#work.attempt(() => previewTable(this.#database, relation, columns, preview))
    files.push(path)
    return { from, format, rows, columns: [...columns], preview: shown, file: files.length - 1 }
  }
}
