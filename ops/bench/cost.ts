import { readEndedChildrenTime, readMachineTimes, readTreeTimes } from './processor-time.ts'

/** Processor time by process, in milliseconds per call, and how busy the machine was. */
export interface Cost {
  msPerCall: Record<string, number>
  /** Share of all cores that was in use. */
  busyShare: number
  /** Share of all cores that unrelated processes used; a high share makes a figure doubtful. */
  othersShare: number
}

interface CostedResult<Result> {
  result: Result
  cost: { perCall(calls: number): Cost }
}

export async function measureCost<Result>(
  processes: Record<string, number>,
  work: () => Promise<Result>,
): Promise<CostedResult<Result>> {
  const names = Object.keys(processes)
  const before = readTimes(Object.values(processes))
  const result = await work()
  const after = readTimes(Object.values(processes))
  const seconds = Object.fromEntries(names.map((name, index) => [name, after.trees[index]! - before.trees[index]!]))
  seconds.load = after.load - before.load
  const allSeconds = after.machine.allSeconds - before.machine.allSeconds
  const busySeconds = after.machine.busySeconds - before.machine.busySeconds
  const ours = Object.values(seconds).reduce((sum, part) => sum + part, 0)
  const perCall = (calls: number): Cost => ({
    msPerCall: Object.fromEntries(Object.entries(seconds).map(([name, part]) => [name, (part * 1_000) / calls])),
    busyShare: busySeconds / allSeconds,
    othersShare: Math.max(0, busySeconds - ours) / allSeconds,
  })
  return { result, cost: { perCall } }
}

export function averageCosts(costs: readonly Cost[]): Cost {
  const mean = (pick: (cost: Cost) => number) => costs.reduce((sum, cost) => sum + pick(cost), 0) / costs.length
  const names = Object.keys(costs[0]!.msPerCall)
  return {
    msPerCall: Object.fromEntries(names.map(name => [name, mean(cost => cost.msPerCall[name]!)])),
    busyShare: mean(cost => cost.busyShare),
    othersShare: mean(cost => cost.othersShare),
  }
}

/** The most expensive process first: `Postgres 0.21, api 0.15, load 0.02 ms of CPU per call; cores 98 % busy, 3 % by other processes`. */
export function formatCost({ msPerCall, busyShare, othersShare }: Cost): string {
  const sorted = Object.entries(msPerCall).sort(([, a], [, b]) => b - a)
  const parts = sorted.map(([name, ms]) => `${name} ${ms.toPrecision(2)}`).join(', ')
  return `${parts} ms of CPU per call; cores ${formatPercent(busyShare)} busy, ${formatPercent(othersShare)} by other processes`
}

function formatPercent(share: number): string {
  return `${Math.round(share * 100)} %`
}

function readTimes(roots: number[]) {
  return { trees: readTreeTimes(roots), load: readEndedChildrenTime(), machine: readMachineTimes() }
}
