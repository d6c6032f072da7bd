import { Problem } from '#kit'
import type { Database } from '../database.ts'
import { CHANGING_FUNCTIONS } from './functions.ts'
import { findForbiddenFunction } from './statement.ts'
import { isFailure, parseSelect, type TreeNode, walkTree } from './tree.ts'

const PREFIX = 'SELECT ('
/** What an expression over the cells of a row may consist of. */
const CLASSES = new Set([
  ...[
    'BETWEEN',
    'CASE',
    'CAST',
    'COLLATE',
    'COLUMN_REF',
    'COMPARISON',
    'CONJUNCTION',
    'CONSTANT',
    'FUNCTION',
    'LAMBDA',
  ],
  ...['LAMBDA_REF', 'OPERATOR'],
])
/** Parts of the statement around the expression that must be as we wrote them. */
const EMPTY_PARTS = ['where_clause', 'having', 'sample', 'qualify'] as const
const EMPTY_LISTS = ['modifiers', 'group_expressions', 'group_sets'] as const

interface CheckedExpression {
  /** Ready to be put into a statement. */
  sql: string
  /** Whether it may have another value each time that it is computed. */
  isChanging: boolean
}

/** Checks an expression in SQL. */
export async function checkExpression(database: Database, text: string, field: string): Promise<CheckedExpression> {
  const tree = await parseSelect(database, `${PREFIX}${text}\n) FROM input`)
  if (isFailure(tree)) {
    const { reason, message, position } = tree
    if (reason !== 'syntax') throw forbid(field, 'more than an expression')
    const at = position === undefined ? {} : { position: Math.max(0, position - PREFIX.length) }
    throw new Problem('EXPRESSION_INVALID', { field, message, ...at })
  }
  if (!isOneExpression(tree)) throw forbid(field, 'more than an expression')
  const [expression] = tree.select_list as [TreeNode]
  let isChanging = false
  walkTree(expression, node => {
    if (typeof node.class === 'string' && !CLASSES.has(node.class)) throw forbid(field, node.class.toLowerCase())
    if (CHANGING_FUNCTIONS.has(String(node.function_name).toLowerCase())) isChanging = true
  })
  const called = findForbiddenFunction(expression)
  if (called !== undefined) throw new Problem('EXPRESSION_FORBIDDEN', { field, function: called.slice(0, 100) })
  return { sql: `(${text}\n)`, isChanging }
}

function isOneExpression(tree: TreeNode): boolean {
  const from = tree.from_table as TreeNode | undefined
  const isInput = from?.type === 'BASE_TABLE' && from.table_name === 'input' && !from.schema_name && !from.catalog_name
  const isPlain = isInput && !from.alias && !from.sample && !from.at_clause
  const ctes = (tree.cte_map as { map?: unknown[] } | undefined)?.map ?? []
  const lists = [...EMPTY_LISTS.map(name => tree[name] as unknown[] | undefined), ctes]
  return (
    tree.type === 'SELECT_NODE' &&
    (tree.select_list as unknown[]).length === 1 &&
    isPlain &&
    EMPTY_PARTS.every(name => !tree[name]) &&
    lists.every(list => !list || list.length === 0)
  )
}

function forbid(field: string, construct: string): Problem {
  return new Problem('EXPRESSION_FORBIDDEN', { field, construct })
}
