import { Problem } from '#kit'
import type { CheckParams } from '../../../../tasks/formats/tables/steps/checks.ts'
import { type Column, NUMERIC, toText } from '../read/types.ts'
import { columnOf, columnsOf, type Relation, ROW, requireFree } from '../relation.ts'
import { literal, name, names } from '../sql-text.ts'
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
  const [one, two] = [await store(work, left), await store(work, right)]
  const keyPairs = keys.map(key => ({ left: columnOf(left, key), right: columnOf(right, key) }))
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
  const compared = choosePairs(left, right, keyPairs, params)
  const joined = await compare(work, one, two, keyPairs, compared, params)
  const summary = await summarize(work, joined)
  if (output === 'summary') {
    const rows = Object.entries(summary).map(([change, count]) => `(${literal(change)}, ${count}::BIGINT)`)
    return {
      table: await work.define(`SELECT * FROM (VALUES ${rows.join(', ')}) AS counts(change, "rows")`),
      facts: { summary },
    }
  }
  const where = output === 'full' ? '' : ` WHERE _change <> 'unchanged'`
  const table = await work.define(
    `SELECT * EXCLUDE ("\u0001left", "\u0001right") FROM ${joined.as}${where} ORDER BY "\u0001right" NULLS LAST, "\u0001left"`,
    { isStored: true },
  )
  return { table, facts: { summary } }
}

async function store(work: Work, { as, columns }: Relation): Promise<Relation> {
  const stored = await work.define(`SELECT *, row_number() OVER () AS ${ROW} FROM ${as}`, { isStored: true })
  return { as: stored.as, columns }
}

async function requireUnique(work: Work, { as }: Relation, keys: readonly Column[], side: string): Promise<void> {
  const list = names(keys.map(key => key.name))
  const key = keys.map(column => toText(column)).join(` || ', ' || `)
  const [bad] = await work.database.rows<{ key: string | null }>(
    `SELECT ${key} AS key FROM ${as} GROUP BY ${list} HAVING count(*) > 1 LIMIT 1`,
  )
  if (bad) throw new Problem('DUPLICATE_KEY', { side, key: bad.key })
}

function choosePairs(
  left: Relation,
  right: Relation,
  keys: readonly Pair[],
  { compare: wanted, ignore = [] }: Params,
): Pair[] {
  const either = { columns: [...left.columns, ...right.columns] }
  const ignored = new Set(ignore.map(each => columnOf(either, each).name.toLowerCase()))
  const isKey = (column: Column) => keys.some(key => key.left === column)
  const chosen = wanted
    ? columnsOf(left, wanted)
    : left.columns.filter(column => right.columns.some(other => other.name.toLowerCase() === column.name.toLowerCase()))
  return chosen
    .filter(column => !isKey(column) && !ignored.has(column.name.toLowerCase()))
    .map(column => ({ left: column, right: columnOf(right, column.name) }))
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
  const on = keys.map(pair => `${same(pair)}`).join(' AND ')
  const differs = compared.map(pair => `CASE WHEN ${differ(pair, params)} THEN ${literal(pair.left.name)} END`)
  const changed = `list_filter([${differs.join(', ') || 'NULL'}]::VARCHAR[], lambda c: c IS NOT NULL)`
  const old = compared.map(
    pair =>
      `${literal(pair.left.name)}: CASE WHEN ${differ(pair, params)} THEN ${toText(pair.left, `l.${name(pair.left.name)}`)} END`,
  )
  const cells = [
    ...keys.map(pair => `coalesce(${both(pair).join(', ')}) AS ${name(pair.left.name)}`),
    ...compared.map(
      pair => `CASE WHEN r.${ROW} IS NULL THEN ${both(pair)[0]} ELSE ${both(pair)[1]} END AS ${name(pair.left.name)}`,
    ),
    `CASE WHEN l.${ROW} IS NULL THEN 'added' WHEN r.${ROW} IS NULL THEN 'removed' WHEN len(${changed}) > 0 THEN 'changed' ELSE 'unchanged' END AS _change`,
    `CASE WHEN l.${ROW} IS NOT NULL AND r.${ROW} IS NOT NULL AND len(${changed}) > 0 THEN array_to_string(${changed}, ',') END AS _changedColumns`,
    `CASE WHEN l.${ROW} IS NOT NULL AND r.${ROW} IS NOT NULL AND len(${changed}) > 0 THEN ${old.length === 0 ? 'NULL::JSON' : `to_json({${old.join(', ')}})`} END AS _old`,
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
