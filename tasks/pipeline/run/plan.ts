import { type InputFile, PRICE_CEILING, Problem, usd } from '#kit'
import type { PipelineStep } from './steps.ts'

interface PlannedStep {
  id: string
  op: string
  inputs: Record<string, string>
  params: Record<string, unknown>
}

/** The tables of a call by name. */
export function nameTables({
  file,
  inputs,
}: {
  file?: InputFile
  inputs?: Record<string, InputFile>
}): Record<string, InputFile> {
  if (file && inputs) throw new Problem('CONFLICTING_OPTIONS', { fields: ['file', 'inputs'] })
  const tables = inputs ?? (file ? { input: file } : undefined)
  if (!tables) throw new Problem('MISSING_FIELD', { field: 'file', oneOf: ['file', 'inputs'] })
  return tables
}

/** Finds the tables that each step works on: only tables of the call and steps before it. */
export function planSteps(steps: readonly PipelineStep[], tables: readonly string[]): PlannedStep[] {
  const known = new Set(tables)
  let last = tables[0]!
  return steps.map((step, stepIndex) => {
    const id = step.id ?? `step${stepIndex + 1}`
    const fail = (reason: string, hints: object = {}) =>
      new Problem('PIPELINE_INVALID', { step: id, stepIndex, reason, ...hints })
    if (known.has(id)) throw fail('the id is taken')
    const named = [step.input ?? last, ...(step.with ?? [])]
    const unknown = named.find(table => !known.has(table))
    if (unknown !== undefined)
      throw fail('no table or earlier step has this name', { name: unknown, known: [...known] })
    const op = step.op.replace('data/', '')
    const inputs = assignRoles(op, named, [...known], fail)
    known.add(id)
    last = id
    return { id, op, inputs, params: step.params }
  })
}

function assignRoles(
  op: string,
  [first, ...others]: readonly string[],
  known: readonly string[],
  fail: (reason: string) => Problem,
): Record<string, string> {
  if (op === 'union') {
    if (others.length === 0) throw fail('union needs other tables in `with`')
    return Object.fromEntries([first!, ...others].map((table, index) => [String(index), table]))
  }
  if (op === 'join' || op === 'diff') {
    if (others.length !== 1) throw fail(`${op} needs one other table in \`with\``)
    return { left: first!, right: others[0]! }
  }
  if (others.length > 0) throw fail(`${op} works on one table`)
  const all = op === 'sql' ? Object.fromEntries(known.map(table => [table, table])) : {}
  return { ...all, input: first! }
}

const MEBIBYTE = 2 ** 20
const STEP_MICROS = usd('0.001')

/** The price of one step in units of its rate: as the operation alone costs over the tables of the call. */
function countStepUnits({ op }: { op: string }, sizeBytes: number): number {
  const base = op === 'data/sql' ? 2 : 1
  return base + Math.max(0, Math.ceil((sizeBytes - MEBIBYTE) / (5 * MEBIBYTE)))
}

export function sumBytes(tables: Record<string, InputFile>): number {
  return Object.values(tables).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
}

interface PricedInput {
  file?: InputFile
  inputs?: Record<string, InputFile>
  steps: PipelineStep[]
}

export const PIPELINE_PRICE = {
  unit: 'step, and started 5 MiB of each beyond the first MiB; a step of SQL counts twice',
  rateMicros: STEP_MICROS,
  baseMicros: 0n,
  basis: 'body' as const,
  minUnits: 1,
  units: ({ file, inputs, steps }: PricedInput) => {
    const bytes = sumBytes(inputs ?? (file ? { file } : {}))
    return steps.reduce((sum, step) => sum + countStepUnits(step, bytes), 0)
  },
}

/** What each step cost, as parts of the price of the whole, which has a ceiling. */
export function divideCharge(steps: readonly { op: string }[], sizeBytes: number): string[] {
  const units = steps.map(step => BigInt(countStepUnits(step, sizeBytes)))
  const all = units.reduce((sum, each) => sum + each, 0n)
  const charge = all * STEP_MICROS < PRICE_CEILING ? all * STEP_MICROS : PRICE_CEILING
  let before = 0n
  return units.map(each => {
    const [from, until] = [(charge * before) / all, (charge * (before + each)) / all]
    before += each
    return (until - from).toString()
  })
}
