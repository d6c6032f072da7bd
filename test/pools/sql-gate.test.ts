import { afterAll, expect, test } from 'vitest'
import { Database } from '../../pools/tools/duckdb/database.ts'
import { checkExpression } from '../../pools/tools/duckdb/gate/expression.ts'
import { AGGREGATE_FUNCTIONS, SCALAR_FUNCTIONS, TABLE_FUNCTIONS } from '../../pools/tools/duckdb/gate/functions.ts'
import { checkStatement } from '../../pools/tools/duckdb/gate/statement.ts'
import { freshFolder } from '../support/machine/folder.ts'

const folder = await freshFolder()
const database = await Database.open({ folder: folder.path, memoryMb: 256, spillMb: 100 })
afterAll(async () => {
  database.close()
  await folder[Symbol.asyncDispose]()
})

const known = await database.rows<{ function_name: string; function_type: string }>(
  'SELECT DISTINCT function_name, function_type FROM duckdb_functions() ORDER BY ALL',
)
const isAllowed = (name: string) =>
  SCALAR_FUNCTIONS.has(name) || AGGREGATE_FUNCTIONS.has(name) || TABLE_FUNCTIONS.has(name)

/** How a statement may call something. */
const CALLS = [
  (name: string) => `SELECT ${name}()`,
  (name: string) => `SELECT ${name}('x')`,
  (name: string) => `SELECT "${name}"(a) FROM input`,
  (name: string) => `SELECT main.${name}('x')`,
  (name: string) => `SELECT * FROM ${name}('x')`,
  (name: string) => `SELECT * FROM "${name}"()`,
  (name: string) => `SELECT a FROM input ORDER BY ${name}(a)`,
  (name: string) => `SELECT sum(a) OVER (PARTITION BY ${name}(a)) FROM input`,
  (name: string) => `SELECT (SELECT ${name}(a)) FROM input`,
  (name: string) => `SELECT list_transform([1], lambda x: ${name}(x))`,
  (name: string) => `CALL ${name}('x')`,
  (name: string) => `PRAGMA ${name}`,
]

const isRefusal = (error: unknown) =>
  /^(?:SQL_FORBIDDEN|SQL_SYNTAX|EXPRESSION_FORBIDDEN|EXPRESSION_INVALID)$/.test((error as { code?: string }).code ?? '')

test('nothing of the engine can be called that is not on our list', async () => {
  const forbidden = known.map(({ function_name }) => function_name).filter(name => !isAllowed(name))
  expect(forbidden.length).toBeGreaterThan(300)
  const open: string[] = []
  for (const name of new Set(forbidden)) {
    for (const call of CALLS) {
      const statement = checkStatement(database, call(name), { tables: ['input'], deterministic: false })
      await statement.then(
        () => open.push(call(name)),
        error => isRefusal(error) || open.push(String(error)),
      )
    }
    const expression = checkExpression(database, `${name}(a)`, 'where')
    await expression.then(
      () => open.push(name),
      error => isRefusal(error) || open.push(String(error)),
    )
  }
  expect(open).toEqual([])
})

test('everything on our list is there', () => {
  const names = new Set(known.map(({ function_name }) => function_name))
  // The parser makes these of syntax.
  const ofSyntax = new Set(['count_star', 'current_date', '->'])
  const missing = [...SCALAR_FUNCTIONS, ...AGGREGATE_FUNCTIONS, ...TABLE_FUNCTIONS].filter(
    name => !names.has(name) && !ofSyntax.has(name),
  )
  expect(missing).toEqual([])
})

test.each([
  "SELECT * FROM read_csv('/etc/passwd')",
  "SELECT * FROM read_text('/etc/hostname')",
  "SELECT * FROM glob('/etc/*')",
  "COPY (SELECT 1) TO '/tmp/coinop-escape.csv'",
  "ATTACH '/tmp/coinop-escape.db'",
  "EXPORT DATABASE '/tmp/coinop-escape'",
  'INSTALL httpfs',
  'LOAD httpfs',
  'SET enable_external_access = true',
  'SET lock_configuration = false',
  "SET memory_limit = '100GB'",
  'RESET allowed_directories',
])('the database itself refuses %s', async statement => {
  await expect(database.run(statement)).rejects.toThrow()
})

test('no path leads out of the folder', async () => {
  await expect(database.rows(`SELECT * FROM read_text('${folder.path}/../../../etc/hostname')`)).rejects.toThrow()
  await expect(database.run(`COPY (SELECT 1) TO '${folder.path}/../x.csv'`)).rejects.toThrow()
})
