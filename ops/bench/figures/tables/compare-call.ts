import { JSON_HEADERS } from '../../calls.ts'
import { formatCost, measureCost } from '../../cost.ts'
import type { Bench, Goal, Reading } from '../../figure.ts'
import { median } from '../../median.ts'
import { ProcessGroup } from '../../process-group.ts'
import { type Stack, verifyCall } from '../../stack.ts'
import { targetService } from '../../targets.ts'
import { type DirectRuns, measureEngine, writeCsv } from './direct-engine.ts'

export interface Comparison {
  label: string
  path: string
  body: object
  /** The same work as a query; it reads the files itself. */
  query: string
  goal?: Goal
}

/** Calls are sent one after another for so many bursts; the last may end later, and counts, as that of the direct run does. */
const STRETCH = 2

/** Compares calls of one client with DuckDB, which is called directly over the same files and writes its result to `out`. */
export async function compareCall(bench: Bench, stack: Stack, out: string, given: Comparison): Promise<Reading> {
  return compareRuns(bench, stack, given, seconds => measureEngine([writeCsv(given.query, out)], seconds))
}

export async function compareRuns(
  bench: Bench,
  stack: Stack,
  { label, path, body: fields, goal = { atLeast: 0.8 } }: Omit<Comparison, 'query'>,
  measureDirect: (seconds: number) => Promise<DirectRuns>,
): Promise<Reading> {
  const body = JSON.stringify({ ...fields, inlineOutput: 'never' })
  const call = { path, headers: JSON_HEADERS, body, keys: stack.keys }
  await verifyCall(stack, call)
  const target = targetService(bench.environment, stack, call)
  const direct: DirectRuns[] = []
  const measurements = []
  const { rounds, seconds } = bench.profile
  for (let round = 0; round < rounds; round++) {
    direct.push(await measureDirect(seconds * STRETCH))
    measurements.push(await measureCalls(stack, call, target.processes, seconds * STRETCH))
  }
  return {
    label,
    unit: 'calls/s',
    ours: median(measurements.map(({ perSecond }) => perSecond)),
    floor: median(direct.map(({ perSecond }) => perSecond)),
    goal,
    judgedBy: 'ratio',
    limitedBy: describeCost(measurements, direct),
    facts: { measurements, direct },
  }
}

type Measurement = Awaited<ReturnType<typeof measureCalls>>

function describeCost(measurements: readonly Measurement[], direct: readonly DirectRuns[]): string {
  const ours = median(measurements.map(({ cpuMs }) => cpuMs))
  const floor = median(direct.map(({ cpuMs }) => cpuMs))
  const ratio = (floor / ours).toFixed(2)
  return `CPU ${Math.round(ours)} ms, direct ${Math.round(floor)} ms, ratio ${ratio}; ${formatCost(measurements.at(-1)!.cost)}`
}

/** One call can take longer than a burst of load lasts, which would count none. */
async function measureCalls(
  stack: Stack,
  call: Parameters<typeof verifyCall>[1],
  processes: Record<string, number>,
  seconds: number,
) {
  using group = ProcessGroup.open(stack.workers.map(({ pid }) => pid))
  const before = group?.readSeconds() ?? 0
  const { result, cost } = await measureCost(processes, async () => {
    const startedMs = performance.now()
    let calls = 0
    while (performance.now() - startedMs < seconds * 1_000) {
      await (await verifyCall(stack, call)).arrayBuffer()
      calls += 1
    }
    return { calls, perSecond: calls / ((performance.now() - startedMs) / 1_000) }
  })
  const perCall = cost.perCall(result.calls)
  if (group) perCall.msPerCall.worker = ((group.readSeconds() - before) * 1_000) / result.calls
  const cpuMs = Object.values(perCall.msPerCall).reduce((sum, part) => sum + part, 0)
  return { ...result, cost: perCall, cpuMs }
}
