import type { Warning } from '#kit'
import type { Database } from './database.ts'
import { checkExpression } from './gate/expression.ts'
import { explainFailure } from './problems.ts'
import { type Column, fromEngineType } from './read/types.ts'
import type { Relation } from './relation.ts'
import { name } from './sql-text.ts'

export interface StepOutcome {
  table: Relation
  facts?: Record<string, unknown>
  warnings?: Warning[]
}

/** What the steps of one call work with. */
export class Work {
  readonly database: Database
  readonly memoryMb: number
  /** Whose text is to blame if a query fails. */
  failureKind: 'ours' | 'expression' | 'sql' = 'ours'
  #lastTable = 0

  constructor(database: Database, memoryMb: number) {
    this.database = database
    this.memoryMb = memoryMb
  }

  /** Defines a table by a SELECT: stored at once, or computed at every use. */
  async define(select: string, { isStored = false } = {}): Promise<Relation> {
    const as = name(`table ${++this.#lastTable}`)
    return this.attempt(async () => {
      await this.database.run(`CREATE ${isStored ? 'TABLE' : 'VIEW'} ${as} AS ${select}`)
      return { as, columns: await this.describe(as), isStored }
    })
  }

  async describe(relation: string): Promise<Column[]> {
    const found = await this.database.rows<{ column_name: string; column_type: string }>(
      `DESCRIBE SELECT * FROM ${relation}`,
    )
    return found.map(({ column_name, column_type }) => ({ name: column_name, type: fromEngineType(column_type) }))
  }

  async countRows(table: Relation): Promise<number> {
    table.rows ??= await this.attempt(() => this.database.count(`SELECT count(*) FROM ${table.as}`))
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
    return checkExpression(this.database, text, field)
  }
}
