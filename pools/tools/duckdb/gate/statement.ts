import { Problem } from '#kit'
import type { Database } from '../database.ts'
import { AGGREGATE_FUNCTIONS, CHANGING_FUNCTIONS, SCALAR_FUNCTIONS, TABLE_FUNCTIONS } from './functions.ts'
import { findOversize } from './sizes.ts'
import { isFailure, parseSelect, type TreeNode, walkTree } from './tree.ts'

// Decision 0120: run SQL in a process that only one call gets.

export interface StatementRules {
  /** The tables that may be read. */
  tables: readonly string[]
  deterministic: boolean
}

/** Throws unless a text is one SELECT that reads the given tables and calls only functions of the list. */
export async function checkStatement(database: Database, sql: string, rules: StatementRules): Promise<void> {
  const tree = await parseSelect(database, sql)
  if (isFailure(tree)) {
    const { reason, message, position } = tree
    if (reason === 'syntax') throw new Problem('SQL_SYNTAX', { message, ...(position !== undefined && { position }) })
    throw forbid(reason === 'several' ? 'several statements' : 'not a SELECT', describeConstruct(sql), {
      ...(/\bpivot\b/i.test(sql) && { hint: 'list the values with IN (...) or use data/pivot' }),
    })
  }
  const tables = new Set([...rules.tables, ...collectCteNames(tree)].map(table => table.toLowerCase()))
  walkTree(tree, node => {
    checkTableRef(node, tables)
    checkFunction(node, rules.deterministic)
  })
  const oversize = findOversize(tree)
  if (oversize) throw forbid(oversize.reason, oversize.construct, { limit: oversize.limit })
}

function describeConstruct(sql: string): string {
  return /[a-z]+/i.exec(sql.replace(/--.*$|\/\*[\s\S]*?\*\//gm, ''))?.[0].toUpperCase() ?? ''
}

function forbid(reason: string, construct: string, hints: object = {}): Problem {
  return new Problem('SQL_FORBIDDEN', { reason, construct: construct.slice(0, 100), ...hints })
}

const NAME = /^[a-z_][a-z0-9_]*$/i
/** Views of the engine's own that tell of its settings. */
const CATALOG_NAME = /^(duckdb_|pragma_|sqlite_|pg_|information_schema)/i

/** A query with such a name would make the name readable elsewhere in the statement, where it means a file or a view. */
function collectCteNames(tree: TreeNode): string[] {
  const found: string[] = []
  walkTree(tree, ({ cte_map, cte_name }) => {
    const entries = ((cte_map as TreeNode | undefined)?.map ?? []) as { key: string }[]
    found.push(...entries.map(({ key }) => key))
    if (typeof cte_name === 'string') found.push(cte_name)
  })
  for (const cte of found) {
    if (!NAME.test(cte) || CATALOG_NAME.test(cte)) throw forbid('the name of a common table expression', cte)
  }
  return found
}

const TABLE_REFS = new Set([
  'BASE_TABLE',
  'SUBQUERY',
  'JOIN',
  'TABLE_FUNCTION',
  'EMPTY',
  'EXPRESSION_LIST',
  'PIVOT',
  'CTE',
])
const KNOWN_NODES = new Set(['SELECT_NODE', 'SET_OPERATION_NODE', 'RECURSIVE_CTE_NODE', 'CTE_NODE'])

function checkTableRef(node: TreeNode, tables: ReadonlySet<string>): void {
  const type = node.type as string | undefined
  if (typeof type !== 'string') return
  if (type.endsWith('_NODE') && !KNOWN_NODES.has(type)) throw forbid('a kind of statement', type)
  // Only references to tables have these two fields; expressions have a class as well.
  const isTableRef = 'sample' in node && 'alias' in node && !('class' in node)
  if (!isTableRef) return
  if (!TABLE_REFS.has(type)) throw forbid('a kind of table', type, { hint: 'data/profile describes tables' })
  if (type !== 'BASE_TABLE') return
  const table = String(node.table_name)
  if (node.schema_name || node.catalog_name || node.at_clause) throw forbid('a table outside of this call', table)
  if (!tables.has(table.toLowerCase()))
    throw forbid('a table outside of this call', table, { tables: [...tables].slice(0, 20) })
}

function checkFunction(node: TreeNode, isDeterministic: boolean): void {
  const called = node.function_name
  if (typeof called !== 'string') return
  const lower = called.toLowerCase()
  const isKnown =
    SCALAR_FUNCTIONS.has(called) ||
    SCALAR_FUNCTIONS.has(lower) ||
    AGGREGATE_FUNCTIONS.has(lower) ||
    TABLE_FUNCTIONS.has(lower)
  if (!isKnown || isQualified(node)) throw forbid('a function that is not allowed', called)
  if (isDeterministic && CHANGING_FUNCTIONS.has(lower)) throw forbid('not deterministic', called)
}

/** The parser itself qualifies the functions that brackets and braces stand for. */
function isQualified({ schema, catalog }: TreeNode): boolean {
  return Boolean(schema && schema !== 'main') || Boolean(catalog && catalog !== 'system')
}

/** A function that is not allowed in an expression over the cells of one row. */
export function findForbiddenFunction(tree: TreeNode): string | undefined {
  let found: string | undefined
  walkTree(tree, node => {
    const called = node.function_name
    if (typeof called !== 'string') return
    const isKnown = SCALAR_FUNCTIONS.has(called) || SCALAR_FUNCTIONS.has(called.toLowerCase())
    if (!isKnown || called.toLowerCase() === 'unnest' || isQualified(node)) found ??= called
  })
  return found ?? findOversize(tree)?.construct
}
