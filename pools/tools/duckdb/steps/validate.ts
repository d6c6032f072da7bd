import { Problem } from '#kit'
import type { CheckParams, Rule } from '../../../../tasks/formats/tables/steps/checks.ts'
import { type Column, castText, NUMERIC, toText } from '../read/types.ts'
import { columnOf, numberRows, type Relation, ROW } from '../relation.ts'
import { literal, name } from '../sql-text.ts'
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
    invalid: `SELECT ${ROW} FROM ${checked.as} WHERE ${violations.map((_, index) => `v${index}`).join(' OR ')}`,
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
    add(
      'type',
      `${from} IS NOT NULL AND (${castText(text, rule.type)}) IS NULL`,
      `The value is not of the type ${rule.type}.`,
    )
  if (rule.pattern !== undefined) {
    await requirePattern(work, rule.pattern)
    add(
      'pattern',
      `${from} IS NOT NULL AND NOT regexp_matches(${text}, ${literal(rule.pattern)})`,
      'The value does not match the pattern.',
    )
  }
  if (rule.min !== undefined)
    add('min', `${from} < ${await bound(work, column, rule.min)}`, `The value is less than ${rule.min}.`)
  if (rule.max !== undefined)
    add('max', `${from} > ${await bound(work, column, rule.max)}`, `The value is greater than ${rule.max}.`)
  if (rule.maxLength !== undefined)
    add('maxLength', `length(${text}) > ${rule.maxLength}`, `The value has more than ${rule.maxLength} characters.`)
  if (rule.enum !== undefined) {
    const allowed = rule.enum.filter(value => value !== null).map(value => literal(String(value)))
    add(
      'enum',
      `${from} IS NOT NULL AND ${allowed.length === 0 ? 'true' : `${text} NOT IN (${allowed.join(', ')})`}`,
      'The value is not one of those allowed.',
    )
  }
  if (rule.foreign !== undefined) {
    const other = inputs[rule.foreign.file.table]!
    const target = columnOf(other, rule.foreign.column)
    add(
      'foreign',
      `${from} IS NOT NULL AND ${text} NOT IN (SELECT ${toText(target)} FROM ${other.as} WHERE ${name(target.name)} IS NOT NULL)`,
      'The value is not in the other table.',
    )
  }
  if (found.length === 0)
    throw new Problem('SCHEMA_INVALID', { column: rule.column, detail: 'the rule demands nothing' })
  return found
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
