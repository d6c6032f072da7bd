import { Problem, type Warning } from '#kit'
import type { CheckParams } from '../../../../tasks/formats/tables/steps/checks.ts'
import { type Column, NUMERIC, toEngineType, toText } from '../read/types.ts'
import { columnOf, columnsOf, type Relation, ROW, requireFree } from '../relation.ts'
import { joinConditions, literal, name, names } from '../sql-text.ts'
import type { StepOutcome, Work } from '../work.ts'

type Params = CheckParams['diff']

interface Pair {
  left: Column
  right: Column
}

export async function diff(
  work: Work,
  { left, right }: { left: Relation; right: Relation },
  params: Params,
): Promise<StepOutcome> {
  const { keys, output } = params
  const keyPairs = keys.map(key => ({ left: columnOf(left, key), right: columnOf(right, key) }))
  const compared = choosePairs(left, right, keyPairs, params)
  const lacking = findLacking(left, right, params)
  const [one, two] = [
    await store(work, left, lacking.left.filter(isCompared)),
    await store(work, right, lacking.right.filter(isCompared)),
  ]
  await requireUnique(
    work,
    one,
    keyPairs.map(pair => pair.left),
    'left',
  )
  await requireUnique(
    work,
    two,
    keyPairs.map(pair => pair.right),
    'right',
  )
  const joined = await compare(work, one, two, keyPairs, compared, params)
  const summary = await summarize(work, joined)
  const [addedColumns, removedColumns] = [lacking.left, lacking.right].map(side => side.map(({ name: each }) => each))
  const facts = { summary, addedColumns, removedColumns }
  const warnings = params.compare ? [] : warnOfLacking(addedColumns!, removedColumns!)
  if (output === 'summary') {
    const rows = Object.entries(summary).map(([change, count]) => `(${literal(change)}, ${count}::BIGINT)`)
    return {
      table: await work.define(`SELECT * FROM (VALUES ${rows.join(', ')}) AS counts(change, "rows")`),
      facts,
      warnings,
    }
  }
  const where = output === 'full' ? '' : ` WHERE _change <> 'unchanged'`
  const table = await work.define(
    `SELECT * EXCLUDE ("\u0001left", "\u0001right") FROM ${joined.as}${where} ORDER BY "\u0001right" NULLS LAST, "\u0001left"`,
    { isStored: true },
  )
  return { table, facts, warnings }

  function isCompared(column: Column): boolean {
    return compared.some(pair => pair.left === column || pair.right === column)
  }
}

/** The columns that each side lacks, but for those that are ignored. */
function findLacking(left: Relation, right: Relation, params: Params): { left: Column[]; right: Column[] } {
  const ignored = listIgnored(left, right, params)
  const without = (columns: readonly Column[], others: readonly Column[]) =>
    columns.filter(column => !findSame(others, column.name) && !ignored.has(column.name.toLowerCase()))
  return { left: without(right.columns, left.columns), right: without(left.columns, right.columns) }
}

function findSame(columns: readonly Column[], wanted: string): Column | undefined {
  return columns.find(column => column.name.toLowerCase() === wanted.toLowerCase())
}

function warnOfLacking(added: readonly string[], removed: readonly string[]): Warning[] {
  if (added.length + removed.length === 0) return []
  const list = (columns: readonly string[]) => columns.slice(0, 20).join(', ')
  const sides = [
    ...(removed.length > 0 ? [`only the left table has ${list(removed)}`] : []),
    ...(added.length > 0 ? [`only the right table has ${list(added)}`] : []),
  ]
  const message = `Columns of one side are not compared unless compare names them: ${sides.join('; ')}.`
  return [{ code: 'COLUMNS_DIFFER', message }]
}

/** Numbers the rows, and adds columns that only the other side has, without any value. */
async function store(work: Work, { as, columns }: Relation, lacking: readonly Column[]): Promise<Relation> {
  const added = lacking.map(column => `, CAST(NULL AS ${toEngineType(column.type)}) AS ${name(column.name)}`)
  const select = `SELECT *${added.join('')}, row_number() OVER () AS ${ROW} FROM ${as}`
  const stored = await work.define(select, { isStored: true })
  return { as: stored.as, columns: [...columns, ...lacking] }
}

async function requireUnique(work: Work, { as }: Relation, keys: readonly Column[], side: string): Promise<void> {
  const list = names(keys.map(key => key.name))
  const key = keys.map(column => toText(column)).join(` || ', ' || `)
  const [bad] = await work.database.rows<{ key: string | null }>(
    `SELECT ${key} AS key FROM ${as} GROUP BY ${list} HAVING count(*) > 1 LIMIT 1`,
  )
  if (bad) throw new Problem('DUPLICATE_KEY', { side, key: bad.key })
}

/** The columns to compare; one that a side lacks stands for itself there. */
function choosePairs(left: Relation, right: Relation, keys: readonly Pair[], params: Params): Pair[] {
  const ignored = listIgnored(left, right, params)
  const isKey = (column: Column) => keys.some(key => key.left === column)
  const chosen = params.compare
    ? columnsOf({ columns: [...left.columns, ...right.columns.filter(isOnlyRight)] }, params.compare)
    : left.columns.filter(column => findSame(right.columns, column.name))
  return chosen
    .filter(column => !isKey(column) && !ignored.has(column.name.toLowerCase()))
    .map(column => ({ left: column, right: findSame(right.columns, column.name) ?? column }))

  function isOnlyRight(column: Column): boolean {
    return !findSame(left.columns, column.name)
  }
}

function listIgnored(left: Relation, right: Relation, { ignore = [] }: Params): Set<string> {
  const either = { columns: [...left.columns, ...right.columns] }
  return new Set(ignore.map(each => columnOf(either, each).name.toLowerCase()))
}

async function compare(
  work: Work,
  left: Relation,
  right: Relation,
  keys: readonly Pair[],
  compared: readonly Pair[],
  params: Params,
): Promise<Relation> {
  for (const reserved of ['_change', '_changedColumns', '_old'])
    requireFree([...left.columns, ...right.columns], reserved)
  const on = joinConditions(keys.map(same), 'AND')
  const differs = compared.map(pair => `CASE WHEN ${differ(pair, params)} THEN ${literal(pair.left.name)} END`)
  const changed = `list_filter([${differs.join(', ') || 'NULL'}]::VARCHAR[], lambda c: c IS NOT NULL)`
  // What has not changed is left out: a null would say that there was none before.
  const old = compared.map(
    pair =>
      `{k: ${literal(pair.left.name)}, v: ${toText(pair.left, `l.${name(pair.left.name)}`)}, d: coalesce(${differ(pair, params)}, false)}`,
  )
  const changedOld = `to_json(map_from_entries([{k: e.k, v: e.v} FOR e IN [${old.join(', ')}] IF e.d]))`
  const cells = [
    ...keys.map(pair => `coalesce(${both(pair).join(', ')}) AS ${name(pair.left.name)}`),
    ...compared.map(
      pair => `CASE WHEN r.${ROW} IS NULL THEN ${both(pair)[0]} ELSE ${both(pair)[1]} END AS ${name(pair.left.name)}`,
    ),
    `CASE WHEN l.${ROW} IS NULL THEN 'added' WHEN r.${ROW} IS NULL THEN 'removed' WHEN len(${changed}) > 0 THEN 'changed' ELSE 'unchanged' END AS _change`,
    `CASE WHEN l.${ROW} IS NOT NULL AND r.${ROW} IS NOT NULL AND len(${changed}) > 0 THEN array_to_string(${changed}, ',') END AS _changedColumns`,
    `CASE WHEN l.${ROW} IS NOT NULL AND r.${ROW} IS NOT NULL AND len(${changed}) > 0 THEN ${old.length === 0 ? 'NULL::JSON' : changedOld} END AS _old`,
    `l.${ROW} AS "\u0001left", r.${ROW} AS "\u0001right"`,
  ]
  return work.define(`SELECT ${cells.join(', ')} FROM ${left.as} AS l FULL JOIN ${right.as} AS r ON ${on}`, {
    isStored: true,
  })
}

function isComparable({ left, right }: Pair): boolean {
  return left.type === right.type || (NUMERIC.test(left.type) && NUMERIC.test(right.type))
}

/** The values of both sides, as text where their types differ. */
function both(pair: Pair): [string, string] {
  const [one, two] = [`l.${name(pair.left.name)}`, `r.${name(pair.right.name)}`]
  return isComparable(pair) ? [one, two] : [toText(pair.left, one), toText(pair.right, two)]
}

function same(pair: Pair): string {
  return both(pair).join(' IS NOT DISTINCT FROM ')
}

function differ(pair: Pair, { tolerance, caseInsensitive }: Params): string {
  const [one, two] = both(pair)
  const isNumeric = NUMERIC.test(pair.left.type) && NUMERIC.test(pair.right.type)
  if (isNumeric && tolerance !== undefined)
    return `((${one} IS NULL) <> (${two} IS NULL) OR abs(${one}::DOUBLE - ${two}::DOUBLE) > ${tolerance})`
  const isText = caseInsensitive && (pair.left.type === 'string' || !isComparable(pair))
  return isText ? `lower(${one}) IS DISTINCT FROM lower(${two})` : `${one} IS DISTINCT FROM ${two}`
}

async function summarize(
  work: Work,
  { as }: Relation,
): Promise<Record<'added' | 'removed' | 'changed' | 'unchanged', number>> {
  const found = await work.database.rows<{ _change: string; n: string }>(
    `SELECT _change, count(*) AS n FROM ${as} GROUP BY _change`,
  )
  const counts = Object.fromEntries(found.map(({ _change, n }) => [_change, Number(n)]))
  return {
    added: counts.added ?? 0,
    removed: counts.removed ?? 0,
    changed: counts.changed ?? 0,
    unchanged: counts.unchanged ?? 0,
  }
}
