import type { Plan, StepCall } from './plan.ts'
import { listUncounted, type Relation } from './relation.ts'
import { countsItsInput } from './steps/groups.ts'
import { readSchemaColumns } from './steps/schema-columns.ts'

// Types are guessed from the first rows, and our own pass over the bytes proves them beside the query: 30 ms for 22 MB.
// A wrong guess runs the plan again over types found in all rows.

/** Steps that read their input once, or store it themselves. */
const SINGLE_PASS = new Set(['filter', 'slice', 'derive', 'rename', 'groupby', 'sql', 'join'])

/**
 * Whether a step may read a text, or a view over one, instead of a table that stores its rows. To read a text takes as
 * long as to store it, so it is not read a second time, not even to count the rows of an earlier step.
 */
export function canReadText(plan: Plan, index: number, table: Relation, name: string): boolean {
  const step = plan.steps[index]!
  if (!SINGLE_PASS.has(step.op) || countUses(plan, name) > 1 || mentionsOften(step, name)) return false
  if (listUncounted(table).length === 0) return true
  // What the step does tells how many rows the filters before it have kept.
  if (step.op === 'derive' || step.op === 'rename' || step.op === 'join') return true
  if (step.op === 'filter') return endsInGroups(plan, index)
  return step.op === 'groupby' && countsItsInput(step.params as never)
}

/** Which cells of a text are kept as they are written. */
export function describeTexts(plan: Plan, name: string) {
  return {
    asText: listTextColumns(plan, name),
    keepsJson: isChecked(plan, name),
    keepsMixed: countUses(plan, name) === 1 && isCheckedBySchema(plan, name),
    carriesTexts: carriesTexts(plan),
  }
}

/** The columns that the only reader of a table casts, or checks as strings: from their texts, as the file has them. */
function listTextColumns(plan: Plan, name: string): ReadonlySet<string> {
  const reader = plan.steps.find(({ inputs }) => Object.values(inputs).includes(name))
  if (!reader || countUses(plan, name) > 1) return new Set()
  return new Set(listWantedTexts(reader).map(column => column.toLowerCase()))
}

/** Steps that pass cells on. */
const CARRIERS = new Set([
  ...['filter', 'sort', 'slice', 'sample', 'dropna', 'rename', 'derive', 'cast', 'fillna', 'union', 'join', 'explode'],
])

/**
 * Whether the cells of CSV come out as they are written. An expression may read a whole row as `input`, and so what is
 * hidden in it.
 */
function carriesTexts({ steps, outputs, isDescription }: Plan): boolean {
  const isText = outputs.some(({ format = 'csv', workbook }) => !workbook && (format === 'csv' || format === 'tsv'))
  return isText && !isDescription && steps.every(step => CARRIERS.has(step.op) && !readsWholeRow(step))
}

function readsWholeRow({ op, params }: StepCall): boolean {
  return (op === 'filter' || op === 'derive') && /\binput\b/i.test(JSON.stringify(params))
}

/** Whether a table is checked, and so keeps the types that JSON has. */
function isChecked({ steps }: Plan, name: string): boolean {
  return steps.some(({ op, inputs }) => op === 'validate' && Object.values(inputs).includes(name))
}

function isCheckedBySchema({ steps }: Plan, name: string): boolean {
  const reader = steps.find(({ inputs }) => Object.values(inputs).includes(name))
  return reader?.op === 'validate' && (reader.params as { schema?: unknown }).schema !== undefined
}

function listWantedTexts({ op, params }: StepCall): string[] {
  const { types, schema } = params as { types?: Record<string, string>; schema?: unknown }
  if (op === 'cast') return Object.keys(types!)
  return op === 'validate' ? [...readSchemaColumns(schema).texts] : []
}

/** How many steps and outputs read a table or the result of a step. */
export function countUses({ steps, outputs }: Plan, name: string): number {
  const readByOutputs = outputs.flatMap(({ from, workbook }) => workbook?.sheets.map(sheet => sheet.from) ?? [from])
  return [...steps.flatMap(({ inputs }) => Object.values(inputs)), ...readByOutputs].filter(each => each === name)
    .length
}

function mentionsOften({ op, inputs, params }: StepCall, name: string): boolean {
  if (op !== 'sql') return false
  const role = Object.keys(inputs).find(each => inputs[each] === name)
  const { sql } = params as { sql: string }
  return [...sql.matchAll(new RegExp(`\\b${role}\\b(?!\\s*\\.)`, 'gi'))].length > 1
}

/** Whether groups that count all the filters before them are made of a result, and nothing else is. */
function endsInGroups(plan: Plan, index: number): boolean {
  let { id } = plan.steps[index]!
  for (const step of plan.steps.slice(index + 1)) {
    if (!Object.values(step.inputs).includes(id)) continue
    if (countUses(plan, id) > 1) return false
    if (step.op === 'groupby') return countsItsInput(step.params as never)
    if (step.op !== 'filter' && step.op !== 'rename' && !isPlainDerive(step)) return false
    id = step.id
  }
  return false
}

function isPlainDerive({ op, params }: StepCall): boolean {
  return op === 'derive' && (params as { columns: { window?: unknown }[] }).columns.every(({ window }) => !window)
}
