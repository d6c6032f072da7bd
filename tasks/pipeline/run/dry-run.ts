import { type Micros, Problem } from '#kit'
import type { PipelineCall } from './fields.ts'
import { type ListSources, listWanted, nameInputs, planSteps } from './plan.ts'
import { divideCharge, listAmounts } from './price.ts'
import { joinGroups, requireColumns, type Tables } from './tables.ts'

interface StepPrices {
  listSources: ListSources
  findCeilings(call: PipelineCall): ReadonlyMap<number, Micros>
}

/** The price of each step, and the columns of those over tables that come before any step on files. */
export async function describeSteps(call: PipelineCall, { duckdb }: { duckdb: Tables }, steps?: StepPrices) {
  const inputs = nameInputs(call)
  const planned = planSteps(call.steps, Object.keys(inputs), steps?.listSources)
  listWanted(call, planned)
  const amounts = divideCharge(listAmounts(call, steps?.findCeilings(call) ?? new Map()), call.maxMicros)
  const first = joinGroups(planned)[0]!
  const described = first[0]!.isTable
    ? await nameOperation(call, () => duckdb.describe({ tables: inputs, steps: first }))
    : []
  const columns = new Map(described.map(report => [report.id, report.columns]))
  return {
    steps: planned.map(({ id }, stepIndex) => {
      const { op, expectColumns } = call.steps[stepIndex]!
      const found = columns.get(id)
      if (found) requireColumns(found, expectColumns, { step: id, stepIndex, op })
      return { id, op, columns: found ?? null, amountMicros: amounts[stepIndex]! }
    }),
  }
}

async function nameOperation<Value>({ steps }: PipelineCall, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    const step = error instanceof Problem ? steps[Number(error.hints.stepIndex)] : undefined
    throw step ? new Problem((error as Problem).code, { ...(error as Problem).hints, op: step.op }) : error
  }
}
