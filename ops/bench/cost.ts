import { machineTime, timeOfEndedChildren, timesOfTrees } from './processor-time.ts'

/** Processor time by process, in milliseconds a call, and how busy the machine was. */
export interface Cost {
  msPerCall: Record<string, number>
  /** Share of all cores that was in use. */
  busy: number
  /** Share of all cores that processes of others took: what makes a figure doubtful. */
  others: number
}

interface Measured<Result> {
  result: Result
  cost: { perCall(calls: number): Cost }
}

export async function measureCost<Result>(
  processes: Record<string, number>,
  work: () => Promise<Result>,
): Promise<Measured<Result>> {
  const names = Object.keys(processes)
  const before = look(Object.values(processes))
  const result = await work()
  const after = look(Object.values(processes))
  const seconds = Object.fromEntries(names.map((name, index) => [name, after.trees[index]! - before.trees[index]!]))
  seconds.load = after.load - before.load
  const all = after.machine.allSeconds - before.machine.allSeconds
  const busy = after.machine.busySeconds - before.machine.busySeconds
  const ours = Object.values(seconds).reduce((sum, part) => sum + part, 0)
  const perCall = (calls: number): Cost => ({
    msPerCall: Object.fromEntries(Object.entries(seconds).map(([name, part]) => [name, (part * 1_000) / calls])),
    busy: busy / all,
    others: Math.max(0, busy - ours) / all,
  })
  return { result, cost: { perCall } }
}

export function meanCost(costs: readonly Cost[]): Cost {
  const mean = (pick: (cost: Cost) => number) => costs.reduce((sum, cost) => sum + pick(cost), 0) / costs.length
  const names = Object.keys(costs[0]!.msPerCall)
  return {
    msPerCall: Object.fromEntries(names.map(name => [name, mean(cost => cost.msPerCall[name]!)])),
    busy: mean(cost => cost.busy),
    others: mean(cost => cost.others),
  }
}

/** In words, dearest first: `Postgres 0.21, api 0.15, load 0.02 ms of processor a call; cores 98 % busy, 3 % by others`. */
export function costInWords({ msPerCall, busy, others }: Cost): string {
  const dearest = Object.entries(msPerCall).sort(([, a], [, b]) => b - a)
  const parts = dearest.map(([name, ms]) => `${name} ${ms.toPrecision(2)}`).join(', ')
  return `${parts} ms of processor a call; cores ${percent(busy)} busy, ${percent(others)} by others`
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}

function look(roots: number[]) {
  return { trees: timesOfTrees(roots), load: timeOfEndedChildren(), machine: machineTime() }
}
