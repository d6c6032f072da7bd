import { Problem, type Warning } from '#kit'
import type { GroupParams } from '../../../../tasks/formats/tables/steps/groups.ts'
import { type Column, NUMERIC, toText } from '../read/types.ts'
import { columnsOf, findFreeMark, type Relation, ROW } from '../relation.ts'
import { joinConditions, name, names } from '../sql-text.ts'
import type { StepOutcome, Work } from '../work.ts'
import { listJoinedCells } from './join/cells.ts'
import { foundCell, planLookup } from './join/lookup.ts'

type Params = GroupParams['join']

interface Keys {
  left: Column[]
  right: Column[]
  /** Both sides of each key, comparable. */
  pairs: [left: string, right: string][]
}

const MAX_ROWS = 2_000_000
/** A row that is looked up is packed as one value, which takes more memory than a join if it is wide. */
const MAX_PACKED = 200

export async function join(
  work: Work,
  inputs: { left: Relation; right: Relation },
  params: Params,
): Promise<StepOutcome> {
  const warnings: Warning[] = []
  const keys = findKeys(inputs, params, warnings)
  const left = await store(work, inputs.left)
  const right = await store(work, inputs.right)
  const { how } = params
  const isLookup = how === 'cross' ? checkCross(left, right) : await checkKeys(work, left, right, keys, params)
  const on = joinCondition(keys, params)
  const unmatched =
    how === 'cross' ? { leftUnmatched: 0, rightUnmatched: 0 } : await countUnmatched(work, left, right, on, how)
  const table =
    how === 'semi' || how === 'anti'
      ? await keepLeft(work, left, right, on, how)
      : ((isLookup ? await lookUp(work, left, right, keys, params) : undefined) ??
        (await combine(work, left, right, keys, on, params)))
  return { table, facts: unmatched, warnings }
}

interface Side extends Relation {
  /** The name of the number of a row, which is not one of the columns. */
  row: string
}

/** Both sides are read several times, so they are stored, which also numbers their rows. */
async function store(work: Work, table: Relation): Promise<Side> {
  const { as, columns } = table
  // A column of this name hides the number.
  const isHidden = columns.some(column => column.name.toLowerCase() === 'rowid')
  const row = isHidden ? ROW : 'rowid'
  const isReady = table.isStored && !isHidden
  const select = `SELECT *, row_number() OVER () AS ${ROW} FROM ${as}`
  const stored = isReady ? table : isHidden ? await work.define(select, { isStored: true }) : await work.store(table)
  const rows = await work.countRows(isHidden ? table : stored)
  return { as: stored.as, columns, rows, row, texts: table.texts }
}

type KeyOptions = Pick<Params, 'on' | 'leftOn' | 'rightOn' | 'how' | 'nullsMatch' | 'validate'>

/** Refuses what the kind of join does not read. */
function refuseIdle({ on, leftOn, rightOn, how, nullsMatch, validate }: KeyOptions): void {
  const others = leftOn ?? rightOn
  const isCross = how === 'cross'
  if (isCross && (on ?? others)) throw new Problem('CONFLICTING_OPTIONS', { fields: ['how', 'on'] })
  if (isCross && validate !== 'none') throw new Problem('CONFLICTING_OPTIONS', { fields: ['how', 'validate'] })
  if (nullsMatch && (isCross || how === 'asof'))
    throw new Problem('CONFLICTING_OPTIONS', { fields: ['how', 'nullsMatch'] })
  if (on && others) throw new Problem('CONFLICTING_OPTIONS', { fields: ['on', 'leftOn', 'rightOn'] })
}

function findKeys(
  { left, right }: { left: Relation; right: Relation },
  { on, leftOn, rightOn, how, nullsMatch, validate }: KeyOptions,
  warnings: Warning[],
): Keys {
  refuseIdle({ on, leftOn, rightOn, how, nullsMatch, validate })
  if (how === 'cross') return { left: [], right: [], pairs: [] }
  const keys = { left: chooseKeys(left, on ?? leftOn, 'on'), right: chooseKeys(right, on ?? rightOn, 'rightOn') }
  if (keys.left.length !== keys.right.length) {
    throw new Problem('INVALID_PARAM', { field: 'rightOn', detail: 'it must have as many columns as leftOn' })
  }
  const last = keys.left.length - 1
  const pairs = keys.left.map((one, index) =>
    compareKey(one, keys.right[index]!, {
      isOrdered: how === 'asof' && index === last,
      isEmpty: left.empty?.has(one.name) === true || right.empty?.has(keys.right[index]!.name) === true,
      warnings,
    }),
  )
  return { ...keys, pairs }
}

function chooseKeys(table: Relation, wanted: readonly string[] | undefined, field: string): Column[] {
  if (!wanted) throw new Problem('MISSING_FIELD', { field })
  return columnsOf(table, wanted)
}

function compareKey(
  left: Column,
  right: Column,
  { isOrdered, isEmpty, warnings }: { isOrdered: boolean; isEmpty: boolean; warnings: Warning[] },
): [string, string] {
  const [one, two] = [`l.${name(left.name)}`, `r.${name(right.name)}`]
  if (left.type === right.type || (NUMERIC.test(left.type) && NUMERIC.test(right.type))) return [one, two]
  if (isOrdered) throw new Problem('TYPE_MISMATCH', { column: left.name, type: left.type, other: right.type })
  const message = `The keys ${left.name} (${left.type}) and ${right.name} (${right.type}) were compared as text.`
  if (!isEmpty) warnings.push({ code: 'KEY_TYPES', message })
  return [toText(left, one), toText(right, two)]
}

function joinCondition({ pairs }: Keys, { nullsMatch, how }: Params): string {
  const operator = nullsMatch ? 'IS NOT DISTINCT FROM' : '='
  const isLast = (index: number) => how === 'asof' && index === pairs.length - 1
  const conditions = pairs.map(([one, two], index) => `${one} ${isLast(index) ? '>=' : operator} ${two}`)
  return joinConditions(conditions, 'AND')
}

function checkCross(left: Relation, right: Relation): false {
  const estimatedRows = left.rows! * right.rows!
  if (estimatedRows > MAX_ROWS) throw new Problem('JOIN_EXPLOSION', { estimatedRows, limit: MAX_ROWS })
  return false
}

/**
 * Refuses keys that repeat where they must not, and joins that would be too large. Returns whether every row of the left
 * table has one match at most, in a right table that is not the larger one.
 */
async function checkKeys(
  work: Work,
  left: Relation,
  right: Relation,
  keys: Keys,
  { validate, how }: Params,
): Promise<boolean> {
  await validateKeys(work, left, right, keys, validate)
  if (how === 'semi' || how === 'anti' || how === 'asof') return false
  const isRightSmaller = right.rows! <= left.rows!
  const [small, columns, large] = isRightSmaller
    ? ([right, keys.right, left] as const)
    : ([left, keys.left, right] as const)
  const most = await countRepeats(work, small, columns)
  if (most * large.rows! + small.rows! > MAX_ROWS) {
    const estimatedRows = await estimate(work, left, right, keys)
    if (estimatedRows > MAX_ROWS) throw new Problem('JOIN_EXPLOSION', { estimatedRows, limit: MAX_ROWS })
  }
  return isRightSmaller && most <= 1 && (how === 'inner' || how === 'left')
}

async function validateKeys(
  work: Work,
  left: Relation,
  right: Relation,
  keys: Keys,
  validate: Params['validate'],
): Promise<void> {
  const isLeftUnique = validate === '1:1' || validate === '1:m'
  const isRightUnique = validate === '1:1' || validate === 'm:1'
  if (isLeftUnique && (await countRepeats(work, left, keys.left)) > 1)
    throw new Problem('JOIN_VALIDATION', { validate, side: 'left' })
  if (isRightUnique && (await countRepeats(work, right, keys.right)) > 1)
    throw new Problem('JOIN_VALIDATION', { validate, side: 'right' })
}

/** How many rows have the same key at most; a key with a null is none. */
function countRepeats(work: Work, table: Relation, columns: readonly Column[]): Promise<number> {
  const list = names(columns.map(column => column.name))
  const isFilled = columns.map(column => `${name(column.name)} IS NOT NULL`)
  const filled = joinConditions(isFilled, 'AND')
  return work.database.count(
    `SELECT coalesce(max(n), 0) FROM (SELECT count(*) AS n FROM ${table.as} WHERE ${filled} GROUP BY ${list})`,
  )
}

/** Undefined where the keys need more than an equality of two columns. */
async function lookUp(work: Work, left: Side, right: Side, keys: Keys, params: Params): Promise<Relation | undefined> {
  const isPlain = !params.nullsMatch && keys.left.every((column, index) => column.type === keys.right[index]!.type)
  if (!isPlain || right.row === ROW || left.row === ROW || right.columns.length + (right.texts?.size ?? 0) > MAX_PACKED)
    return undefined
  const areNull = keys.right.map(column => `${name(column.name)} IS NULL`)
  const isNull = joinConditions(areNull, 'OR')
  if ((await work.database.count(`SELECT count(*) FROM ${right.as} WHERE ${isNull}`)) > 0) return undefined
  const found = findFreeMark(left.columns.map(column => column.name))
  const { cells, texts } = listJoinedCells(left, right, keys, params, column => foundCell(found, column))
  const pairs = keys.left.map((column, index) => [column, keys.right[index]!] as const)
  const isInner = params.how === 'inner'
  const select = await planLookup(work, { left, right, keys: pairs, found, cells, isInner })
  return select === undefined ? undefined : { ...(await work.define(select, { isStored: !work.isLast })), texts }
}

/** The sum over all keys of the products of their numbers on both sides. */
async function estimate(work: Work, left: Relation, right: Relation, { pairs }: Keys): Promise<number> {
  const count = (table: Relation, alias: string, side: 0 | 1) =>
    `(SELECT ${pairs.map((pair, index) => `${pair[side]} AS k${index}`).join(', ')}, count(*) AS n FROM ${table.as} AS ${alias} GROUP BY ALL)`
  const using = pairs.map((_, index) => `k${index}`).join(', ')
  return work.database.count(
    `SELECT coalesce(sum(a.n * b.n), 0)::DOUBLE FROM ${count(left, 'l', 0)} AS a JOIN ${count(right, 'r', 1)} AS b USING (${using})`,
  )
}

async function countUnmatched(work: Work, left: Side, right: Side, on: string, how: Params['how']) {
  if (how === 'asof') {
    const rows = await work.database.count(`SELECT count(*) FROM ${left.as} AS l ASOF JOIN ${right.as} AS r ON ${on}`)
    const used = await work.database.count(
      `SELECT count(DISTINCT r.${right.row}) FROM ${left.as} AS l ASOF JOIN ${right.as} AS r ON ${on}`,
    )
    return { leftUnmatched: left.rows! - rows, rightUnmatched: right.rows! - used }
  }
  const leftUnmatched = await work.database.count(
    `SELECT count(*) FROM ${left.as} AS l ANTI JOIN ${right.as} AS r ON ${on}`,
  )
  const rightUnmatched = await work.database.count(
    `SELECT count(*) FROM ${right.as} AS r ANTI JOIN ${left.as} AS l ON ${on}`,
  )
  return { leftUnmatched, rightUnmatched }
}

async function keepLeft(work: Work, left: Side, right: Side, on: string, how: 'semi' | 'anti'): Promise<Relation> {
  const { columns, texts = new Map<string, string>() } = left
  const table = await work.define(
    `SELECT ${names([...columns.map(column => column.name), ...texts.values()])} FROM ${left.as} AS l ${how.toUpperCase()} JOIN ${right.as} AS r ON ${on} ORDER BY l.${left.row}`,
    { isStored: true },
  )
  return { ...table, texts }
}

/** The rows are in the order of the left table, and then of the right one. */
async function combine(work: Work, left: Side, right: Side, keys: Keys, on: string, params: Params): Promise<Relation> {
  const kinds: Record<string, string> = {
    inner: 'JOIN',
    left: 'LEFT JOIN',
    right: 'RIGHT JOIN',
    full: 'FULL JOIN',
    cross: 'CROSS JOIN',
    asof: 'ASOF LEFT JOIN',
  }
  const { cells, texts } = listJoinedCells(left, right, keys, params)
  const condition = params.how === 'cross' ? '' : ` ON ${on}`
  const table = await work.define(
    `SELECT ${cells.join(', ')} FROM ${left.as} AS l ${kinds[params.how]} ${right.as} AS r${condition} ORDER BY l.${left.row} NULLS LAST, r.${right.row}`,
    { isStored: true },
  )
  return { ...table, texts }
}
