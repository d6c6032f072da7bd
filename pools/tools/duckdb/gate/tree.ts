import { Problem } from '#kit'
import type { Database } from '../database.ts'

/** A node of a parsed statement, as the engine serialises it. */
export type TreeNode = { [key: string]: unknown }

interface Serialized {
  error: boolean
  error_type?: string
  error_message?: string
  position?: string
  statements?: { node: TreeNode; named_param_map?: unknown[] }[]
}

/** What the engine calls the error with which its serialisation refuses a statement that is not a SELECT. */
const NOT_SELECT = 'not implemented'

interface ParseFailure {
  reason: 'syntax' | 'not-select' | 'several'
  message: string
  position?: number
}

/** Parses a statement without binding it, because the engine evaluates constants while it binds. */
export async function parseSelect(database: Database, sql: string): Promise<TreeNode | ParseFailure> {
  const { tree } = (await database.rows<{ tree: string }>('SELECT json_serialize_sql($1::VARCHAR) AS tree', [sql]))[0]!
  const parsed = parseTree(tree)
  if (!parsed) return { reason: 'syntax', message: "a number is larger than DOUBLE holds; infinity is 'inf'::DOUBLE" }
  if (parsed.error) {
    const { error_type: kind, error_message: message = '', position } = parsed
    const isOther = kind === NOT_SELECT
    return { reason: isOther ? 'not-select' : 'syntax', message, ...(position && { position: Number(position) }) }
  }
  const [statement, other] = parsed.statements ?? []
  if (!statement) return { reason: 'syntax', message: 'there is no statement' }
  if (other) return { reason: 'several', message: 'only one statement is allowed' }
  return statement.node
}

/** Undefined if a number of the statement is infinite, which the engine serialises as JSON does not. */
function parseTree(json: string): Serialized | undefined {
  try {
    return JSON.parse(json) as Serialized
  } catch (error) {
    if (/-?\b(?:Infinity|NaN)\b/i.test(json)) return undefined
    throw error
  }
}

export function isFailure(parsed: TreeNode | ParseFailure): parsed is ParseFailure {
  return typeof (parsed as ParseFailure).reason === 'string'
}

const MAX_DEPTH = 2000

/** Calls `visit` with every node of a tree, parents first. */
export function walkTree(root: unknown, visit: (node: TreeNode) => void): void {
  const open: [value: unknown, depth: number][] = [[root, 0]]
  for (let next = open.pop(); next; next = open.pop()) {
    const [value, depth] = next
    if (typeof value !== 'object' || value === null) continue
    if (depth > MAX_DEPTH) throw new Problem('SQL_FORBIDDEN', { reason: 'nested too deeply' })
    if (!Array.isArray(value)) visit(value as TreeNode)
    for (const child of Object.values(value)) open.push([child, depth + 1])
  }
}
