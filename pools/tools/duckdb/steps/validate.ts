import { Problem } from '#kit'
import type { CheckParams, Rule } from '../../../../tasks/formats/tables/steps/checks.ts'
import { type Column, castText, NUMERIC, toEngineType, toText, unifyNumbers } from '../read/types.ts'
import { columnOf, numberRows, type Relation, ROW } from '../relation.ts'
import { joinConditions, literal, name } from '../sql-text.ts'
import type { StepOutcome, Work } from '../work.ts'
import type { Findings } from './findings.ts'

/** A rule as the tool hands it over: the other table is an input of the step. */
type TableRule = Omit<Rule, 'foreign'> & { foreign?: { file: { table: string }; column: string } }
type Params = Omit<CheckParams['validate'], 'rules'> & { rules?: TableRule[] }

export async function validate(work: Work, inputs: Record<string, Relation>, params: Params): Promise<StepOutcome> {
  const input = inputs.input!
  const { schema, rules, maxErrors } = params
  if ((schema === undefined) === (rules === undefined)) {
    throw new Problem(schema === undefined ? 'MISSING_FIELD' : 'CONFLICTING_OPTIONS', {
      field: 'schema',
      oneOf: ['schema', 'rules'],
      fields: ['schema', 'rules'],
    })
  }
  const rows = await work.countRows(input)
  const found =
    schema === undefined
      ? await checkRules(work, inputs, rules!, maxErrors)
      : await (await import('./row-schema.ts')).checkRowsBySchema(work, input, schema, maxErrors)
  const errorCount = Object.values(found.byRule).reduce((sum, count) => sum + count, 0)
  const table = await work.define(
    `SELECT * EXCLUDE (${ROW}) FROM ${numberRows(input)} WHERE ${ROW} IN (${found.invalid}) ORDER BY ${ROW}`,
    { isStored: true },
  )
  return { table, facts: { valid: errorCount === 0, rows, errorCount, errors: found.errors, byRule: found.byRule } }
}

interface Violation {
  rule: string
  column: Column
  /** What is true of the row that breaks the rule. */
  sql: string
  message: string
}

async function checkRules(
  work: Work,
  inputs: Record<string, Relation>,
  rules: readonly TableRule[],
  maxErrors: number,
): Promise<Findings> {
  const input = inputs.input!
  const violations = (await Promise.all(rules.map(rule => listViolations(work, inputs, rule)))).flat()
  const flags = violations.map(({ sql }, index) => `coalesce(${sql}, false) AS v${index}`)
  const checked = await work.define(`SELECT *, ${flags.join(', ')} FROM ${numberRows(input)} AS input`, {
    isStored: true,
  })
  const counts = await work.database.row<Record<string, string>>(
    `SELECT ${violations.map((_, index) => `count(*) FILTER (WHERE v${index}) AS v${index}`).join(', ')} FROM ${checked.as}`,
  )
  const byRule: Record<string, number> = {}
  const parts: string[] = []
  for (const [index, { rule, column }] of violations.entries()) {
    const count = Number(counts[`v${index}`])
    if (count === 0) continue
    byRule[`${column.name}:${rule}`] = (byRule[`${column.name}:${rule}`] ?? 0) + count
    parts.push(
      `SELECT ${ROW} AS number, ${index} AS violation, ${toText(column)} AS value FROM ${checked.as} WHERE v${index}`,
    )
  }
  const isAny = joinConditions(
    violations.map((_, index) => `v${index}`),
    'OR',
  )
  if (parts.length === 0) return { errors: [], byRule, invalid: 'SELECT 0 WHERE false' }
  const found = await work.database.rows<{ number: string; violation: number; value: string | null }>(
    `SELECT * FROM (${parts.join(' UNION ALL ')}) ORDER BY number, violation LIMIT ${maxErrors}`,
  )
  const errors = found.map(({ number, violation, value }) => {
    const { rule, column, message } = violations[Number(violation)]!
    return { row: Number(number), column: column.name, rule, value: value?.slice(0, 200) ?? null, message }
  })
  return {
    errors,
    byRule,
    invalid: `SELECT ${ROW} FROM ${checked.as} WHERE ${isAny}`,
  }
}

async function listViolations(work: Work, inputs: Record<string, Relation>, rule: TableRule): Promise<Violation[]> {
  const column = columnOf(inputs.input!, rule.column)
  const from = name(column.name)
  const text = toText(column)
  const found: Violation[] = []
  const add = (kind: string, sql: string, message: string) => found.push({ rule: kind, column, sql, message })
  if (rule.required) add('required', `${from} IS NULL OR ${text} = ''`, 'A value is required.')
  if (rule.unique)
    add('unique', `${from} IS NOT NULL AND count(*) OVER (PARTITION BY ${from}) > 1`, 'The value comes more than once.')
  if (rule.type !== undefined)
    add('type', `${from} IS NOT NULL AND ${isOther(column, rule.type)}`, `The value is not of the type ${rule.type}.`)
  if (rule.pattern !== undefined) {
    await requirePattern(work, rule.pattern)
    add(
      'pattern',
      `${from} IS NOT NULL AND NOT regexp_matches(${text}, ${literal(rule.pattern)})`,
      'The value does not match the pattern.',
    )
  }
  if (rule.min !== undefined) add('min', ...(await outside(work, column, '<', rule.min)))
  if (rule.max !== undefined) add('max', ...(await outside(work, column, '>', rule.max)))
  if (rule.maxLength !== undefined)
    add('maxLength', `length(${text}) > ${rule.maxLength}`, `The value has more than ${rule.maxLength} characters.`)
  if (rule.enum !== undefined)
    add('enum', `${from} IS NOT NULL AND ${isNoneOf(column, rule.enum)}`, 'The value is not one of those allowed.')
  if (rule.foreign !== undefined) {
    const other = inputs[rule.foreign.file.table]!
    const target = columnOf(other, rule.foreign.column)
    const [own, others] = comparePair(column, target)
    add(
      'foreign',
      `${from} IS NOT NULL AND ${own} NOT IN (SELECT ${others} FROM ${other.as} WHERE ${name(target.name)} IS NOT NULL)`,
      'The value is not in the other table.',
    )
  }
  if (found.length === 0)
    throw new Problem('SCHEMA_INVALID', { column: rule.column, detail: 'the rule demands nothing' })
  return found
}

function areNumbers(...columns: Column[]): boolean {
  return columns.every(({ type }) => NUMERIC.test(type))
}

/** Two columns as what is compared: as numbers if that rounds none, else as texts. */
function comparePair(one: Column, other: Column): [string, string] {
  if (!areNumbers(one, other)) return [toText(one), toText(other)]
  const types = [one.type, other.type]
  const mayBeLarge = types.includes('integer') || types.includes('bigint')
  if (unifyNumbers(types, mayBeLarge)) return [name(one.name), name(other.name)]
  return [toShortText(one), toShortText(other)]
}

/** A number as text without the zeros that a decimal has at its end. */
function toShortText(column: Column): string {
  const text = toText(column)
  return column.type.startsWith('decimal') ? `regexp_replace(${text}, '\\.0+$|(\\.\\d*[1-9])0+$', '\\1')` : text
}

/** Whether a value is not of a type. A whole number is an integer, whatever else is in its column. */
function isOther(column: Column, type: string): string {
  if (!areNumbers(column) || !/^(integer|bigint)$/.test(type)) return `(${castText(toText(column), type)}) IS NULL`
  const from = name(column.name)
  return `(try_cast(${from} AS ${toEngineType(type)}) IS NULL OR ${from} <> trunc(${from}))`
}

const NUMBER = /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i

/** Numbers are compared as such: 30 is 30.0, and 12.5 is 12.50. What cannot be a value of the column is none of them. */
function isNoneOf(column: Column, values: readonly unknown[]): string {
  const given = values.filter(value => value !== null).map(String)
  const isNumber = areNumbers(column)
  const [, scale = '0'] = /,(\d+)\)/.exec(column.type) ?? []
  const form = column.type === 'number' ? NUMBER : new RegExp(`^[+-]?\\d+(\\.\\d{0,${scale}}0*)?$`)
  const allowed = isNumber
    ? given
        .filter(value => form.test(value))
        .map(value => `try_cast(${literal(value)} AS ${toEngineType(column.type)})`)
    : given.map(value => literal(value))
  if (allowed.length === 0) return 'true'
  return `NOT coalesce(${isNumber ? name(column.name) : toText(column)} IN (${allowed.join(', ')}), false)`
}

/** What is true of a value beyond a limit, and how that is said. A text is compared with a number as the number that it is. */
async function outside(work: Work, column: Column, than: '<' | '>', limit: number | string): Promise<[string, string]> {
  const from = name(column.name)
  if (column.type === 'string' && typeof limit === 'number') {
    const value = castText(`trim(${from})`, 'number')
    const message = `The value is no number of at ${than === '<' ? 'least' : 'most'} ${limit}.`
    return [`trim(${from}) <> '' AND coalesce((${value}) ${than} ${literal(limit)}, true)`, message]
  }
  const message = `The value is ${than === '<' ? 'less' : 'greater'} than ${limit}.`
  return [`${from} ${than} ${await bound(work, column, limit)}`, message]
}

async function requirePattern(work: Work, pattern: string): Promise<void> {
  try {
    await work.database.count(`SELECT regexp_matches('', ${literal(pattern)})::INTEGER`)
  } catch (error) {
    throw new Problem('SCHEMA_INVALID', {
      pattern: pattern.slice(0, 100),
      detail: (error as Error).message.slice(0, 200),
    })
  }
}

async function bound(work: Work, { name: column, type }: Column, value: number | string): Promise<string> {
  if (NUMERIC.test(type)) {
    if (!Number.isFinite(Number(value))) throw new Problem('SCHEMA_INVALID', { column, value, type })
    return typeof value === 'number' ? `CAST(${literal(String(value))} AS DOUBLE)` : literal(Number(value))
  }
  if (type === 'string') return literal(String(value))
  const cast = castText(literal(String(value)), type)
  if ((await work.database.count(`SELECT ((${cast}) IS NULL)::INTEGER`)) === 1)
    throw new Problem('SCHEMA_INVALID', { column, value, type })
  return `(${cast})`
}
