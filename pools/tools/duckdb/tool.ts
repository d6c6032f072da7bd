import { type InputFile, isInputFile, type OutputFile, Problem, type Warning } from '#kit'
import { completeSettings, TABLE_TYPES } from '../../../tasks/formats/tables/steps/input.ts'
import type { HostContext } from '../../host-context.ts'
import type {
  OutputCall,
  OutputReport,
  Plan,
  PlanReport,
  SheetOptions,
  SourceTable,
  StepCall,
  StepReport,
} from './plan.ts'

interface TableCall {
  tables: Record<string, InputFile>
  /** What each table is read with beside its own settings. */
  sheets?: Record<string, { sheet?: string | number; options: SheetOptions }>
  steps: StepCall[]
  outputs: OutputCall[]
  limits?: { memoryMb?: number; spillMb?: number; limitMs?: number }
}

export interface TableAnswer {
  steps: StepReport[]
  outputs: (Omit<OutputReport, 'file'> & { file: OutputFile })[]
  warnings: Warning[]
  /** The names of all sheets, if the first table came from a workbook. */
  sheets?: readonly string[]
}

const LIMITS = { memoryMb: 512, spillMb: 2048 }
/** A description costs nothing. */
const DESCRIPTION_MS = 10_000

/**
 * Tables in a database that one call has for itself. The engine parses untrusted bytes and runs what callers write, so
 * it is in a confined child process, which only calls of the same account get after that.
 */
export function bind(context: HostContext) {
  return {
    async run({ tables, sheets = {}, steps, outputs, limits }: TableCall): Promise<TableAnswer> {
      const files = new FileList()
      const planned = Object.entries(tables).map(([name, file]) => [name, describe(files, file, sheets[name])] as const)
      const plan: Plan = { tables: Object.fromEntries(planned), steps: [], outputs, ...LIMITS, ...limits }
      plan.steps = steps.map(step => takeOutFiles(step, plan, files))
      const report = await callEngine<Omit<PlanReport, 'spilledFiles'> & { paths: string[] }>(
        context,
        'run',
        files.paths,
        plan,
      )
      const name = Object.values(tables)[0]?.name
      return {
        steps: report.steps,
        warnings: report.warnings,
        sheets: report.sheets,
        outputs: report.outputs.map(output => ({
          ...output,
          file: toOutputFile(output, report.paths[output.file]!, name),
        })),
      }
    },
    /** The columns of the results of those steps for which they are known without running them. */
    async describe({ tables, steps }: Pick<TableCall, 'tables' | 'steps'>): Promise<StepReport[]> {
      const files = new FileList()
      const planned = Object.entries(tables).map(([name, file]) => [name, describe(files, file)] as const)
      const limits = { ...LIMITS, limitMs: DESCRIPTION_MS }
      const plan: Plan = { tables: Object.fromEntries(planned), steps: [], outputs: [], isDescription: true, ...limits }
      plan.steps = steps.map(step => takeOutFiles(step, plan, files))
      return (await callEngine<PlanReport>(context, 'run', files.paths, plan)).steps
    },
    async listSheets(file: InputFile): Promise<string[]> {
      const { names } = await callEngine<{ names: string[] }>(context, 'sheets', [file.path], {})
      if (names.length === 0) throw new Problem('XLSX_PARSE_FAILED', { detail: 'there are no sheets in it' })
      return names
    },
  }
}

async function callEngine<Value>(context: HostContext, method: string, files: string[], args: object): Promise<Value> {
  try {
    return await context.engines.call<Value>(context, 'duckdb', method, files, args)
  } catch (error) {
    // Out of memory anywhere but in the database.
    const { name, message = '' } = error as Error
    const isFull = name === 'RangeError' && /array buffer|string length|array length|typed array/i.test(message)
    throw isFull ? new Problem('MEMORY_LIMIT_EXCEEDED', { limitMb: LIMITS.memoryMb }) : error
  }
}

/** The files of a call, each once. */
class FileList {
  readonly paths: string[] = []

  add(path: string): number {
    const known = this.paths.indexOf(path)
    return known >= 0 ? known : this.paths.push(path) - 1
  }
}

function describe(
  files: FileList,
  file: InputFile,
  sheet?: { sheet?: string | number; options: SheetOptions },
): SourceTable {
  const settings = { ...completeSettings(file.options), ...(sheet?.sheet !== undefined && { sheet: sheet.sheet }) }
  const { type, name: fileName } = file
  return { file: files.add(file.path), type, fileName, settings, ...(sheet && { sheet: sheet.options }) }
}

/** Files inside of the parameters of a step become tables, which the step gets as inputs. */
function takeOutFiles(step: StepCall, plan: Plan, files: FileList): StepCall {
  const inputs = { ...step.inputs }
  const visit = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(visit)
    if (isInputFile(value)) {
      const table = `${step.id} file ${Object.keys(inputs).length}`
      plan.tables[table] = describe(files, value)
      inputs[table] = table
      return { table }
    }
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, visit(inner)]))
  }
  const params = visit(step.params)
  return { ...step, inputs, params }
}

function toOutputFile({ format }: OutputReport, path: string, name: string | undefined): OutputFile {
  const stem = (name ?? 'table').replace(/\.[^.]*$/, '')
  return { path, contentType: TABLE_TYPES[format], name: `${stem}.${format}` }
}
