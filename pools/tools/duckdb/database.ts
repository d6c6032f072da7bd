import { availableParallelism } from 'node:os'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { literal } from './sql-text.ts'

interface DatabaseOptions {
  /** The only folder that the database can read and write. */
  folder: string
  memoryMb: number
  /** How much it may write to the folder when memory does not suffice. */
  spillMb: number
}

const MAX_THREADS = 4
/** It compares each part of an expression with all others: with 2,000 columns that takes minutes and gigabytes. */
const SLOW_OPTIMIZER = 'common_subexpressions'

let prepared: Promise<DuckDBInstance> | undefined

function createInstance(): Promise<DuckDBInstance> {
  return DuckDBInstance.create(':memory:', {
    threads: String(Math.min(MAX_THREADS, availableParallelism())),
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
    allow_persistent_secrets: 'false',
  })
}

export type Value = string | number | boolean | null

/** An in-memory database that reaches nothing but one folder, and whose settings cannot be changed any more. */
export class Database {
  readonly #connection: DuckDBConnection
  readonly #instance: DuckDBInstance

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection) {
    this.#instance = instance
    this.#connection = connection
  }

  static async open({ folder, memoryMb, spillMb }: DatabaseOptions): Promise<Database> {
    const instance = await (prepared ?? createInstance())
    prepared = undefined
    const connection = await instance.connect()
    await connection.run(`
      SET memory_limit = '${memoryMb}MB';
      SET temp_directory = ${literal(`${folder}/spill`)};
      SET max_temp_directory_size = '${spillMb}MB';
      SET TimeZone = 'UTC';
      SET preserve_insertion_order = true;
      SET scalar_subquery_error_on_multiple_rows = true;
      SET disabled_optimizers = ${literal(SLOW_OPTIMIZER)};
      SET allowed_directories = [${literal(`${folder}/`)}];
      SET enable_external_access = false;
      SET lock_configuration = true`)
    return new Database(instance, connection)
  }

  /** Creates the database of the next call before it comes, because that takes as long as a short query. */
  static prepare(): void {
    prepared ??= createInstance()
    prepared.catch(() => undefined)
  }

  async run(sql: string, values?: Value[] | Record<string, Value>): Promise<number> {
    const result = await this.#connection.run(sql, values)
    return Number(result.rowsChanged)
  }

  /** The rows of a small result as objects; large integers are strings. */
  async rows<Row extends Record<string, unknown>>(
    sql: string,
    values?: Value[] | Record<string, Value>,
  ): Promise<Row[]> {
    const reader = await this.#connection.runAndReadAll(sql, values)
    return reader.getRowObjectsJson() as Row[]
  }

  /** The plan of a statement, as text. */
  async explain(statement: string, values?: Value[] | Record<string, Value>): Promise<string> {
    const reader = await this.#connection.runAndReadAll(`EXPLAIN ${statement}`, values)
    return reader
      .getRows()
      .map(row => String(row[1]))
      .join('\n')
  }

  async row<Row extends Record<string, unknown>>(sql: string): Promise<Row> {
    return (await this.rows<Row>(sql))[0]!
  }

  async count(sql: string): Promise<number> {
    return Number(Object.values(await this.row(sql))[0])
  }

  /** The rows of a large result, one chunk after another, as values of JavaScript by column. */
  async *chunks(sql: string): AsyncIterable<readonly (readonly unknown[])[]> {
    const result = await this.#connection.stream(sql)
    for (;;) {
      const chunk = await result.fetchChunk()
      if (!chunk || chunk.rowCount === 0) return
      yield chunk.getColumns()
    }
  }

  interrupt(): void {
    this.#connection.interrupt()
  }

  close(): void {
    this.#connection.closeSync()
    this.#instance.closeSync()
  }
}
