import { type Cost, meanCost, measureCost } from './cost.ts'
import type { Bench } from './figure.ts'
import { type Call, fire, type Volley } from './load.ts'
import { median } from './median.ts'

/** One of the two that are compared: where it answers, what it is asked, and which processes do the work. */
export interface Side {
  baseUrl: string
  call: Call
  /** Process ids by name; their children count with them. */
  processes: Record<string, number>
}

export interface Tally {
  perSecond: number
  p50Ms: number
  p99Ms: number
  cost: Cost
  volleys: Volley[]
}

/** Loads both sides in turns, A B A B, so that a noisy moment of the machine hits both, and takes medians. */
export async function versus(
  bench: Bench,
  sides: { ours: Side; floor: Side },
  clients: number,
): Promise<{ ours: Tally; floor: Tally }> {
  const { rounds, warmUpSeconds } = bench.pace
  const { ours, floor } = sides
  for (const side of [floor, ours]) {
    await fire(bench.generator, side.baseUrl, side.call, { clients, seconds: warmUpSeconds })
  }
  const turns = { ours: [] as Turn[], floor: [] as Turn[] }
  for (let round = 0; round < rounds; round++) {
    turns.floor.push(await oneTurn(bench, floor, clients))
    turns.ours.push(await oneTurn(bench, ours, clients))
  }
  return { ours: tally(turns.ours), floor: tally(turns.floor) }
}

interface Turn {
  volley: Volley
  cost: Cost
}

export async function oneTurn(bench: Bench, side: Side, clients: number, seconds = bench.pace.seconds): Promise<Turn> {
  const { baseUrl, call, processes } = side
  const { result: volley, cost } = await measureCost(processes, () =>
    fire(bench.generator, baseUrl, call, { clients, seconds }),
  )
  if (volley.failed > 0 || volley.calls === 0) {
    throw new Error(`${call.path}: ${volley.failed} of ${volley.calls} calls failed`)
  }
  return { volley, cost: cost.perCall(volley.calls) }
}

function tally(turns: Turn[]): Tally {
  const volleys = turns.map(({ volley }) => volley)
  return {
    perSecond: median(volleys.map(({ perSecond }) => perSecond)),
    p50Ms: median(volleys.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(volleys.map(({ p99Ms }) => p99Ms)),
    cost: meanCost(turns.map(({ cost }) => cost)),
    volleys,
  }
}
