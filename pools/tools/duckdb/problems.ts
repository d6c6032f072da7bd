import { Problem, type ProblemCode } from '#kit'
import { describeMissing } from '../../../tasks/formats/tables/column-names.ts'

/** Thrown when a cell is not of the type that the first rows of its table suggest. */
export class TypeGuessFailed extends Error {}

/** The engine names only columns that look like the one that is missing. */
class MissingColumn extends Problem {
  readonly #column: string
  readonly #candidates: readonly string[]

  constructor(column: string, candidates: readonly string[]) {
    super('COLUMN_NOT_FOUND', describeMissing(candidates, column))
    this.#column = column
    this.#candidates = candidates
  }

  /** With all columns of the tables that the statement reads. */
  among(columns: readonly string[]): Problem {
    const names = [...new Set([...columns, ...this.#candidates])]
    return new Problem('COLUMN_NOT_FOUND', describeMissing(names, this.#column))
  }
}

/** Names the columns of these tables in an error that says that there is no such column. */
export function nameColumns(error: unknown, tables: readonly { columns: readonly { name: string }[] }[]): unknown {
  if (!(error instanceof MissingColumn)) return error
  return error.among(tables.flatMap(({ columns }) => columns.map(({ name }) => name)))
}

type FailureKind = 'sql' | 'expression' | 'ours'

interface FailureContext {
  /** Whose text may be to blame. */
  kind: FailureKind
  field?: string
  memoryMb: number
}

const RUNTIME_ERRORS =
  /^(?:Binder|Catalog|Conversion|Invalid Input|Out of Range|Invalid|Not implemented|Constraint|Sequence|Mismatch Type|Parser|Parameter Not (?:Allowed|Resolved)|Expression|Executor|Syntax|Parameter) Error/i
const MAX_MESSAGE = 300

/** What a failed query means to the caller; an error that nobody's text explains is a bug and stays as it is. */
export function explainFailure(error: unknown, { kind, field, memoryMb }: FailureContext): Error {
  const given = error as Error
  const { message } = given
  if (given instanceof Problem) return given
  if (/^INTERRUPT Error/i.test(message)) return new Problem('TIME_LIMIT_EXCEEDED')
  if (/Out of Memory Error|bad_alloc|bad allocation|Array buffer allocation failed/i.test(message))
    return new Problem('MEMORY_LIMIT_EXCEEDED', { limitMb: memoryMb, hint: 'data/sql-large has more memory' })
  if (/^IO Error.*(?:Could not write|No space|disk)/is.test(message)) return new Problem('OUTPUT_TOO_LARGE')
  if (kind === 'sql' && /^Failed to (?:bind value|retrieve bind parameter)/.test(message))
    return new Problem('INVALID_PARAM', { field: 'params', detail: 'the statement has no place for one of them' })
  if (kind === 'ours' || !RUNTIME_ERRORS.test(message)) return given
  const missing = readMissingColumn(message)
  if (missing) return new MissingColumn(missing.column, missing.candidates)
  const code: ProblemCode = kind === 'sql' ? 'SQL_RUNTIME' : 'EXPRESSION_INVALID'
  return new Problem(code, { ...(field && { field }), message: shorten(message) })
}

/** Whether an error is one that damage in a source may have caused. */
export function mayComeFromSource(error: unknown): boolean {
  if (error instanceof Problem) return error.code === 'SQL_RUNTIME' || error.code === 'EXPRESSION_INVALID'
  return !(error instanceof TypeGuessFailed) && !/^(?:FATAL|INTERNAL) Error/i.test((error as Error).message)
}

const MISSING =
  /^Binder Error: (?:Referenced column "([^"]+)" not found|(?:Values list|Table) "[^"]+" does not have a column named "([^"]+)")/

function readMissingColumn(message: string): { column: string; candidates: string[] } | undefined {
  const found = MISSING.exec(message)
  const column = found?.[1] ?? found?.[2]
  if (column === undefined) return undefined
  const list = /Candidate bindings: (.*)$/m.exec(message)?.[1] ?? ''
  return { column, candidates: [...list.matchAll(/"([^"]+)"/g)].map(([, name]) => name!) }
}

/** The first line, without the copy of the statement that follows it. */
function shorten(message: string): string {
  return message.split('\n', 1)[0]!.slice(0, MAX_MESSAGE)
}
