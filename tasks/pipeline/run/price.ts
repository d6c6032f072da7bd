import { clampPrice, type InputFile, type Micros, Problem, type Rates, readRates, usd } from '#kit'
import type { PipelineCall } from './fields.ts'
import { isTableStep, type PipelineStep } from './steps.ts'

const MEBIBYTE = 2 ** 20
const STEP_MICROS = usd('0.001')

/** The price of one step over tables in units of its rate: as the operation alone costs over the inputs of the call. */
function countStepUnits({ op }: { op: string }, sizeBytes: number): number {
  const base = op === 'data/sql' ? 2 : 1
  return base + Math.max(0, Math.ceil((sizeBytes - MEBIBYTE) / (5 * MEBIBYTE)))
}

type Priced = Pick<PipelineCall, 'file' | 'inputs' | 'steps' | 'rates'>

/** What the operator has set of the price of an operation that is a step. */
export function ratesOf({ rates, bases }: Pick<PipelineCall, 'rates' | 'bases'>, name: string): Rates | undefined {
  return readRates({ rateMicros: rates?.[name], baseMicros: bases?.[name] })
}

/** What only steps on files read does not make the steps over tables dearer. */
function sumTableBytes({ file, inputs, steps }: Priced): number {
  const named: Record<string, InputFile> = inputs ?? (file ? { input: file } : {})
  const isMixed = steps.some(step => !isTableStep(step))
  const [first] = Object.keys(named)
  const read = steps.flatMap((step, index) => {
    if (!isTableStep(step)) return []
    return [step.input ?? (index === 0 ? first : undefined), ...(step.with ?? [])]
  })
  const counted = isMixed ? Object.keys(named).filter(name => read.includes(name)) : Object.keys(named)
  return counted.reduce((sum, name) => sum + named[name]!.sizeBytes, 0)
}

export const PIPELINE_PRICE = {
  unit: 'step over tables, and started 5 MiB of each beyond the first; SQL counts twice',
  rateMicros: STEP_MICROS,
  baseMicros: 0n,
  basis: 'body' as const,
  minUnits: 1,
  note: 'A step on files costs what its operation does; the most is held.',
  units: (call: Priced) => {
    const bytes = sumTableBytes(call)
    return call.steps.filter(isTableStep).reduce((sum, step) => sum + countStepUnits(step, bytes), 0)
  },
}

/** The prices of the steps by themselves. `fileMicros` are those of the steps on files, by their position. */
export function listAmounts(call: Priced, fileMicros: ReadonlyMap<number, Micros>): Micros[] {
  const bytes = sumTableBytes(call)
  const rate = findRate(call)
  return call.steps.map((step: PipelineStep, index) =>
    isTableStep(step) ? BigInt(countStepUnits(step, bytes)) * rate : (fileMicros.get(index) ?? 0n),
  )
}

/** What may be spent on steps on files: the caller can set a limit, which is held instead of their ceilings. */
export function limitExtra(call: Priced & Pick<PipelineCall, 'maxMicros'>, ceilingMicros: Micros): Micros {
  if (call.maxMicros === undefined) return ceilingMicros
  const tables = BigInt(PIPELINE_PRICE.units(call)) * findRate(call)
  const left = BigInt(call.maxMicros) - tables
  if (left < 0n) throw exceedLimit(BigInt(call.maxMicros), tables)
  return left < ceilingMicros ? left : ceilingMicros
}

export function exceedLimit(maxMicros: Micros, neededMicros: Micros): Problem {
  return new Problem('COST_LIMIT_EXCEEDED', { maxMicros: Number(maxMicros), neededMicros: neededMicros.toString() })
}

function findRate(call: Pick<PipelineCall, 'rates'>): Micros {
  return ratesOf(call, 'pipeline.run')?.rateMicros ?? STEP_MICROS
}

/** The amounts as parts of the price of the whole, which has a floor and a ceiling, to the last micro. */
export function divideCharge(amounts: readonly Micros[], maxMicros?: number): string[] {
  const sum = amounts.reduce((all, each) => all + each, 0n)
  const price = clampPrice(sum)
  const charge = maxMicros !== undefined && price > maxMicros ? BigInt(maxMicros) : price
  const weights = sum > 0n ? amounts : amounts.map(() => 1n)
  const all = weights.reduce((total, each) => total + each, 0n)
  let before = 0n
  return weights.map(each => {
    const [from, until] = [(charge * before) / all, (charge * (before + each)) / all]
    before += each
    return (until - from).toString()
  })
}
