import { Problem } from '#kit'
import { literal } from '../sql-text.ts'
import { readTokens, type Token } from './tokens.ts'

/** A column of values in a PIVOT whose values have to be read first. */
interface OpenEntry {
  /** The statement that reads them, with `$p1` for each parameter `$1`. */
  select: string
  /** Where the list of values goes. */
  start: number
  end: number
}

const MAX_VALUES = 1000
const MAX_LENGTH = 2 ** 18
/** Many PIVOTs would be as many queries. */
const MAX_ENTRIES = 20

/** Writes the values into each PIVOT that names none, because the engine itself would take several statements for it. */
export async function completePivots(
  sql: string,
  listValues: (select: string, limit: number) => Promise<string[]>,
): Promise<string> {
  let completed = sql
  for (let count = 0; ; count++) {
    const entry = findOpenEntry(completed)
    if (!entry) return completed
    if (count === MAX_ENTRIES) throw forbid('more columns in PIVOT than can be read', { limit: MAX_ENTRIES })
    const values = await listValues(entry.select, MAX_VALUES + 1)
    if (values.length === 0) throw new Problem('SQL_RUNTIME', { message: 'PIVOT finds no values; list them with IN' })
    const list = values.map(literal).join(', ')
    if (values.length > MAX_VALUES || list.length > MAX_LENGTH)
      throw new Problem('TOO_MANY_COLUMNS', { limit: MAX_VALUES, hint: 'list the values of PIVOT with IN' })
    completed = `${completed.slice(0, entry.start)} IN (${list})${completed.slice(entry.end)}`
  }
}

function forbid(reason: string, hints: object): Problem {
  return new Problem('SQL_FORBIDDEN', { reason, construct: 'PIVOT', ...hints })
}

const PIVOT = /^PIVOT(?:_WIDER)?$/
const WITHOUT_ON = /^(?:CROSS|NATURAL|POSITIONAL)$/
const CLAUSE = /^(?:USING|GROUP|ORDER|LIMIT|OFFSET|UNION|EXCEPT|INTERSECT)$/
const SELECT = /^(?:SELECT|FROM|WITH|VALUES|PIVOT|PIVOT_WIDER)$/

/** The last PIVOT comes first: others may contain it. */
function findOpenEntry(sql: string): OpenEntry | undefined {
  const tokens = readTokens(sql)
  for (let index = tokens.length - 1; index >= 0; index--) {
    const entry = PIVOT.test(textAt(tokens, index)) ? readPivot(sql, tokens, index) : undefined
    if (entry) return entry
  }
  return undefined
}

function textAt(tokens: readonly Token[], index: number): string {
  const token = tokens[index]
  return token && token.kind !== 'quoted' ? token.text : ''
}

/** The index of the token after a group in brackets or a CASE, or after a single token. */
function skipGroup(tokens: readonly Token[], start: number): number {
  let depth = 0
  for (let index = start; index < tokens.length; index++) {
    const text = textAt(tokens, index)
    if (/^(?:[([{]|CASE)$/.test(text)) depth++
    else if (/^(?:[)\]}]|END)$/.test(text)) depth--
    if (depth <= 0) return index + 1
  }
  return tokens.length
}

function readPivot(sql: string, tokens: readonly Token[], pivot: number): OpenEntry | undefined {
  const on = findOn(tokens, pivot + 1)
  if (on === undefined) return undefined
  const source = sliceTokens(sql, tokens, pivot + 1, on)
  for (let start = on + 1; ; ) {
    const end = findColumnEnd(tokens, start)
    if (end === start) return undefined
    const column = sliceTokens(sql, tokens, start, end)
    const isListed = textAt(tokens, end) === 'IN'
    const next = isListed ? skipGroup(tokens, end + 1) : end
    const read = isListed
      ? readInnerSelect(sql, tokens, end + 1)
      : `SELECT DISTINCT CAST((${column}) AS VARCHAR) FROM ${source}`
    if (read !== undefined) {
      const select = `${listCtes(sql, tokens, pivot)}${SELECT_VALUES} (${read}\n) ${VALUES_ORDER}`
      return { select, start: tokens[end - 1]!.end, end: tokens[next - 1]!.end }
    }
    if (textAt(tokens, next) !== ',') return undefined
    start = next + 1
  }
}

const SELECT_VALUES = 'SELECT DISTINCT value FROM'
const VALUES_ORDER = 'AS listed(value) WHERE value IS NOT NULL ORDER BY value'

/** The index of the IN, comma, bracket or clause after a column of a PIVOT. */
function findColumnEnd(tokens: readonly Token[], start: number): number {
  let index = start
  const isOver = (text: string) => text === ',' || text === 'IN' || text === ')' || CLAUSE.test(text)
  while (index < tokens.length && !isOver(textAt(tokens, index))) index = skipGroup(tokens, index)
  return index
}

/** The ON of a PIVOT; a join in its source has one too. */
function findOn(tokens: readonly Token[], start: number): number | undefined {
  let joins = 0
  for (let index = start; index < tokens.length; index = skipGroup(tokens, index)) {
    const text = textAt(tokens, index)
    if (text === ')') return undefined
    if (text === 'ON' && joins === 0) return index
    joins += countOpenJoins(text, textAt(tokens, index - 1))
  }
  return undefined
}

function countOpenJoins(text: string, before: string): number {
  if (text === 'ON' || text === 'USING') return -1
  return text === 'JOIN' && !WITHOUT_ON.test(before) ? 1 : 0
}

function readInnerSelect(sql: string, tokens: readonly Token[], open: number): string | undefined {
  if (textAt(tokens, open) !== '(' || !SELECT.test(textAt(tokens, open + 1))) return undefined
  const inner = sliceTokens(sql, tokens, open + 1, skipGroup(tokens, open) - 1)
  return `SELECT CAST(COLUMNS(*) AS VARCHAR) FROM (${inner}\n)`
}

/** Parameters are numbered again, because the statement that reads the values has only some of them. */
function sliceTokens(sql: string, tokens: readonly Token[], from: number, to: number): string {
  let text = ''
  for (let index = from; index < to; index++) {
    if (textAt(tokens, index) === '?') throw forbid('? in the source of PIVOT', { hint: 'number the parameters: $1' })
    const { start, end } = tokens[index]!
    const isNumber = textAt(tokens, index - 1) === '$' && /^\d/.test(sql.slice(start, end))
    text +=
      (index > from ? sql.slice(tokens[index - 1]!.end, start) : '') + (isNumber ? 'p' : '') + sql.slice(start, end)
  }
  return text
}

/** The common table expressions that a PIVOT can name, as a clause WITH. */
function listCtes(sql: string, tokens: readonly Token[], pivot: number): string {
  const starts = [0]
  for (let index = 0; index < pivot; index++) {
    if (textAt(tokens, index) === '(') starts.push(index + 1)
    else if (textAt(tokens, index) === ')') starts.pop()
  }
  const clauses = starts.filter(start => textAt(tokens, start) === 'WITH')
  const isRecursive = clauses.some(start => textAt(tokens, start + 1) === 'RECURSIVE')
  const found = clauses
    .flatMap(start => listClause(tokens, start, pivot))
    .map(range => sliceTokens(sql, tokens, ...range))
  return found.length === 0 ? '' : `WITH ${isRecursive ? 'RECURSIVE ' : ''}${found.join(', ')} `
}

/** From where to where each definition goes of those that end before a PIVOT. */
function listClause(tokens: readonly Token[], start: number, pivot: number): [from: number, to: number][] {
  const found: [number, number][] = []
  let index = textAt(tokens, start + 1) === 'RECURSIVE' ? start + 2 : start + 1
  for (let end = findCteEnd(tokens, index); end !== undefined && end <= pivot; end = findCteEnd(tokens, index)) {
    found.push([index, end])
    if (textAt(tokens, end) !== ',') break
    index = end + 1
  }
  return found
}

/** The index after a definition such as `a(x) AS MATERIALIZED (SELECT 1)`. */
function findCteEnd(tokens: readonly Token[], start: number): number | undefined {
  let index = start
  while (index < tokens.length && textAt(tokens, index) !== 'AS') index = skipGroup(tokens, index)
  while (index < tokens.length && textAt(tokens, index) !== '(') index++
  return index < tokens.length ? skipGroup(tokens, index) : undefined
}
