import { averageCosts, type Cost, measureCost } from './cost.ts'
import type { Bench } from './figure.ts'
import { type Burst, type Call, sendBurst } from './load/run.ts'
import { median } from './median.ts'

/** One of the two servers that are compared: its address, the call it is sent, and the processes that do the work. */
export interface LoadTarget {
  baseUrl: string
  call: Call
  /** Process ids by name; the processor time of their children is included. */
  processes: Record<string, number>
}

interface Summary {
  perSecond: number
  p50Ms: number
  p99Ms: number
  cost: Cost
  bursts: Burst[]
}

/** Loads both targets alternately, A B A B, so that noise on the machine affects both, and takes medians. */
export async function compareWithFloor(
  bench: Bench,
  targets: { ours: LoadTarget; floor: LoadTarget },
  clients: number,
): Promise<{ ours: Summary; floor: Summary }> {
  const { rounds, warmUpSeconds } = bench.profile
  const { ours, floor } = targets
  for (const target of [floor, ours]) {
    await sendBurst(bench.generator, target.baseUrl, target.call, { clients, seconds: warmUpSeconds })
  }
  const measurements = { ours: [] as Measurement[], floor: [] as Measurement[] }
  for (let round = 0; round < rounds; round++) {
    measurements.floor.push(await measureTarget(bench, floor, clients))
    measurements.ours.push(await measureTarget(bench, ours, clients))
  }
  return { ours: summarise(measurements.ours), floor: summarise(measurements.floor) }
}

interface Measurement {
  burst: Burst
  cost: Cost
}

export async function measureTarget(
  bench: Bench,
  target: LoadTarget,
  clients: number,
  seconds = bench.profile.seconds,
  rate?: number,
): Promise<Measurement> {
  const { baseUrl, call, processes } = target
  const { result: burst, cost } = await measureCost(processes, () =>
    sendBurst(bench.generator, baseUrl, call, { clients, seconds, ...(rate && { rate }) }),
  )
  if (burst.failed > 0 || burst.calls === 0) {
    throw new Error(`${call.path}: ${burst.failed} of ${burst.calls} calls failed`)
  }
  return { burst, cost: cost.perCall(burst.calls) }
}

function summarise(measurements: Measurement[]): Summary {
  const bursts = measurements.map(({ burst }) => burst)
  return {
    perSecond: median(bursts.map(({ perSecond }) => perSecond)),
    p50Ms: median(bursts.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(bursts.map(({ p99Ms }) => p99Ms)),
    cost: averageCosts(measurements.map(({ cost }) => cost)),
    bursts,
  }
}
