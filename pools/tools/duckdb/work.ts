import type { Warning } from '#kit'
import type { Database } from './database.ts'
import { checkExpression } from './gate/expression.ts'
import { explainFailure } from './problems.ts'
import { type Column, fromEngineType } from './read/types.ts'
import { counted, type Relation, TEXT_MARK } from './relation.ts'
import { name } from './sql-text.ts'

// A text is read by the first step that needs its rows, through views, if nothing else reads it: storing it takes 80 ms
// more, and sorting a join 250.

export interface StepOutcome {
  table: Relation
  facts?: Record<string, unknown>
  warnings?: Warning[]
}

interface Definition {
  isStored?: boolean
  /** The only table that the SELECT reads. */
  from?: Relation
  /** Where they are known. */
  columns?: readonly Column[]
}

/** What the steps of one call work with. */
export class Work {
  readonly database: Database
  readonly memoryMb: number
  /** Whose text is to blame if a query fails. */
  failureKind: 'ours' | 'expression' | 'sql' = 'ours'
  /** Whether nothing but one output reads the result of the step, once. */
  isLast = false
  /** An expression has another value at every use, so what follows from it is stored. */
  #isChanging = false
  #lastTable = 0

  constructor(database: Database, memoryMb: number) {
    this.database = database
    this.memoryMb = memoryMb
  }

  /** Defines a table by a SELECT: stored at once, or computed at every use. */
  async define(select: string, { isStored: wanted = false, from, columns }: Definition = {}): Promise<Relation> {
    const as = name(`table ${++this.#lastTable}`)
    const isStored = wanted || this.#isChanging
    return this.attempt(async () => {
      await this.database.run(`CREATE ${isStored ? 'TABLE' : 'VIEW'} ${as} AS ${select}`)
      const table = { as, columns: columns ?? (await this.describe(as)), isStored }
      return from?.unread && !isStored ? { ...table, unread: { select, from } } : table
    })
  }

  /** A table with the rows of another one, which are computed now. */
  async store(table: Relation): Promise<Relation> {
    const { as, columns } = table
    const stored = await this.define(`SELECT * FROM ${as}`, { isStored: true, columns })
    counted(table).rows ??= await this.countRows(stored)
    return { ...stored, empty: table.empty, format: table.format, texts: table.texts, rowsOf: table }
  }

  async describe(relation: string): Promise<Column[]> {
    const found = await this.database.rows<{ column_name: string; column_type: string }>(
      `DESCRIBE SELECT * FROM ${relation}`,
    )
    const shown = found.filter(({ column_name }) => !column_name.startsWith(TEXT_MARK))
    return shown.map(({ column_name, column_type }) => ({ name: column_name, type: fromEngineType(column_type) }))
  }

  async countRows(given: Relation): Promise<number> {
    const table = counted(given)
    const { as, counting } = table
    table.rows ??= await (counting ?? this.attempt(() => this.database.count(`SELECT count(*) FROM ${as}`)))
    return table.rows
  }

  /** Explains an error of the engine to the caller. */
  async attempt<Value>(work: () => Promise<Value>): Promise<Value> {
    try {
      return await work()
    } catch (error) {
      throw explainFailure(error, { kind: this.failureKind, memoryMb: this.memoryMb })
    }
  }

  /** Checks an expression of the caller and returns it as SQL. */
  async expression(text: string, field: string): Promise<string> {
    if (this.failureKind === 'ours') this.failureKind = 'expression'
    const { sql, isChanging } = await checkExpression(this.database, text, field)
    this.#isChanging ||= isChanging
    return sql
  }
}
