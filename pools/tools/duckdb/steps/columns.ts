import { Problem } from '#kit'
import type { ColumnParams, WindowColumn } from '../../../../tasks/formats/tables/steps/columns.ts'
import { NUMERIC } from '../read/types.ts'
import { columnOf, columnsOf, counted, keepTexts, numberRows, type Relation, ROW } from '../relation.ts'
import { literal, name, names } from '../sql-text.ts'
import type { StepOutcome, Work } from '../work.ts'
import { orderBy } from './sorting.ts'

interface One {
  input: Relation
}

export async function derive(
  work: Work,
  { input }: One,
  { columns, replace }: ColumnParams['derive'],
): Promise<StepOutcome> {
  let table = input
  for (const [index, column] of columns.entries()) {
    const field = `columns.${index}`
    const exists = table.columns.some(({ name: other }) => other.toLowerCase() === column.name.toLowerCase())
    if (exists && !replace) throw new Problem('COLUMN_EXISTS', { column: column.name, field })
    const added = await addColumn(work, table, column, { field, exists })
    if (added.isStored) counted(table).rows ??= await work.countRows(added)
    table = { ...added, texts: keepTexts(table, [column.name]), rowsOf: table }
  }
  return { table }
}

async function addColumn(
  work: Work,
  table: Relation,
  { name: added, expr, window }: ColumnParams['derive']['columns'][0],
  { field, exists }: { field: string; exists: boolean },
): Promise<Relation> {
  if ((expr === undefined) === (window === undefined)) {
    const code = expr === undefined ? 'MISSING_FIELD' : 'CONFLICTING_OPTIONS'
    throw new Problem(code, { field: `${field}.expr`, fields: ['expr', 'window'] })
  }
  const value = window ? await windowValue(work, table, window, field) : await work.expression(expr!, `${field}.expr`)
  const cell = `${value} AS ${name(added)}`
  const addition = exists ? ` REPLACE (${cell})` : `, ${cell}`
  if (!window) return work.define(`SELECT *${addition} FROM ${table.as} AS input`, { from: table })
  const select = `SELECT * EXCLUDE (${ROW})${addition} FROM ${numberRows(table)} AS input ORDER BY ${ROW}`
  return work.define(select, { isStored: true })
}

const RANKS: Record<string, string> = {
  row_number: 'row_number()',
  rank: 'rank()',
  dense_rank: 'dense_rank()',
  percent_rank: 'percent_rank()',
  cume_dist: 'cume_dist()',
}
const VALUES: Record<string, string> = {
  first: 'first_value',
  last: 'last_value',
  sum: 'sum',
  mean: 'avg',
  min: 'min',
  max: 'max',
  count: 'count',
}

async function windowValue(
  work: Work,
  table: Relation,
  { fn, column, n, partitionBy, orderBy: keys }: WindowColumn,
  field: string,
): Promise<string> {
  const call = callWindow(table, { fn, column, n }, field)
  // Rows that are equal in the order have the same rank.
  const order = keys ? await orderBy(work, table, keys, fn === 'row_number' || !RANKS[fn]) : ROW
  const group = partitionBy ? `PARTITION BY ${names(columnsOf(table, partitionBy).map(each => each.name))} ` : ''
  // An aggregate runs up to the current row only where an order was asked for.
  const isWhole = !keys && !RANKS[fn] && fn !== 'lag' && fn !== 'lead' && fn !== 'ntile'
  return `${call} OVER (${group}${isWhole ? '' : `ORDER BY ${order}`}${!isWhole && VALUES[fn] ? ' ROWS UNBOUNDED PRECEDING' : ''})`
}

function callWindow(
  table: Relation,
  { fn, column, n }: Pick<WindowColumn, 'fn' | 'column' | 'n'>,
  field: string,
): string {
  refuseIdle({ fn, column, n }, `${field}.window`)
  if (RANKS[fn]) return RANKS[fn]
  if (fn === 'ntile') return `ntile(${n ?? 4})`
  if (fn === 'count' && column === undefined) return 'count(*)'
  if (column === undefined) throw new Problem('MISSING_FIELD', { field: `${field}.window.column` })
  const source = columnOf(table, column)
  const from = name(source.name)
  if (fn === 'lag' || fn === 'lead') return `${fn}(${from}, ${n ?? 1})`
  if ((fn === 'sum' || fn === 'mean') && !NUMERIC.test(source.type))
    throw new Problem('EXPRESSION_INVALID', {
      field,
      column,
      type: source.type,
      message: `${fn} needs a column of numbers`,
    })
  return `${VALUES[fn]}(${from})`
}

/** Refuses what a window function does not read. */
function refuseIdle({ fn, column, n }: Pick<WindowColumn, 'fn' | 'column' | 'n'>, field: string): void {
  const isWrongCount = n !== undefined && !['lag', 'lead', 'ntile'].includes(fn)
  const isWrongColumn = column !== undefined && (RANKS[fn] !== undefined || fn === 'ntile')
  if (isWrongCount) throw new Problem('CONFLICTING_OPTIONS', { fields: [`${field}.fn`, `${field}.n`] })
  if (isWrongColumn) throw new Problem('CONFLICTING_OPTIONS', { fields: [`${field}.fn`, `${field}.column`] })
}

const WORDS = /\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{M}]+|\p{Lu}+|\p{N}+/gu
const CASES: Record<string, (text: string) => string> = {
  snake: text => splitWords(text).join('_').toLowerCase(),
  kebab: text => splitWords(text).join('-').toLowerCase(),
  camel: text =>
    splitWords(text)
      .map((word, index) => (index === 0 ? word.toLowerCase() : capitalize(word)))
      .join(''),
  title: text => splitWords(text).map(capitalize).join(' '),
  lower: text => text.toLowerCase(),
  upper: text => text.toUpperCase(),
}

function splitWords(text: string): string[] {
  return text.match(WORDS) ?? [text]
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1).toLowerCase()
}

export async function rename(work: Work, { input }: One, params: ColumnParams['rename']): Promise<StepOutcome> {
  const { map = {}, case: style, prefix = '', suffix = '', regex, dedupe } = params
  if (Object.keys(params).every(key => key === 'dedupe'))
    throw new Problem('MISSING_FIELD', { field: 'map', oneOf: ['map', 'case', 'prefix', 'suffix', 'regex'] })
  const mapped = new Map(Object.entries(map).map(([old, renamed]) => [columnOf(input, old).name, renamed]))
  const wanted: string[] = []
  for (const { name: column } of input.columns) {
    const replaced = regex ? await replaceInName(work, column, regex) : column
    wanted.push(mapped.get(column) ?? `${prefix}${style ? CASES[style]!(replaced) : replaced}${suffix}`)
  }
  const renamed = makeDistinct(wanted, dedupe)
  const cells = input.columns.map((column, index) => `${name(column.name)} AS ${name(renamed[index]!)}`)
  const texts = new Map(
    input.columns.flatMap(({ name: old }, index) => {
      const text = input.texts?.get(old)
      return text === undefined ? [] : [[renamed[index]!, text] as const]
    }),
  )
  const hidden = [...texts.values()].map(name)
  const table = await work.define(`SELECT ${[...cells, ...hidden].join(', ')} FROM ${input.as}`, { from: input })
  return { table: { ...table, texts, rowsOf: input } }
}

async function replaceInName(
  work: Work,
  column: string,
  { find, replace }: { find: string; replace: string },
): Promise<string> {
  const replacement = replace.replaceAll('\\', '\\\\').replace(/\$(\d)/g, '\\$1')
  try {
    const sql = `SELECT regexp_replace(${literal(column)}, ${literal(find)}, ${literal(replacement)}, 'g') AS renamed`
    return (await work.database.row<{ renamed: string }>(sql)).renamed
  } catch (error) {
    throw new Problem('REGEX_INVALID', { field: 'regex', detail: (error as Error).message.slice(0, 200) })
  }
}

function makeDistinct(wanted: readonly string[], mayNumber: boolean): string[] {
  const taken = new Set<string>()
  return wanted.map((text, index) => {
    const plain = text === '' ? `column${index + 1}` : text
    let free = plain
    for (let number = 2; taken.has(free.toLowerCase()); number++) {
      if (!mayNumber) throw new Problem('COLUMN_EXISTS', { column: plain })
      free = `${plain}_${number}`
    }
    taken.add(free.toLowerCase())
    return free
  })
}
