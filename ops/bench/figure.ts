import type { BenchEnvironment } from './environment.ts'
import type { Generator } from './load/run.ts'

/** How long and how often each figure is measured. */
export interface BenchProfile {
  rounds: number
  seconds: number
  warmUpSeconds: number
  /** Length of one window of a long run, whose first and last windows are compared. */
  windowSeconds: number
  /** Scales the number of rows, jobs or calls that a figure prepares. */
  bulk: number
}

export const DEFAULT_PROFILE: BenchProfile = { rounds: 3, seconds: 4, warmUpSeconds: 2, windowSeconds: 10, bulk: 1 }
export const QUICK_PROFILE: BenchProfile = { rounds: 2, seconds: 1, warmUpSeconds: 1, windowSeconds: 2, bulk: 0.02 }

/** What every figure is given to measure with. */
export interface Bench {
  environment: BenchEnvironment
  profile: BenchProfile
  generator: Generator
  log(text: string): void
}

export type Goal = { atLeast: number } | { atMost: number }

/** One line of the table. Where no floor applies, the goal is compared with the measured value itself. */
export interface Reading {
  label: string
  unit: string
  ours: number
  floor: number
  goal: Goal
  judgedBy: 'ratio' | 'ours'
  /** What limits the value, as far as the measurement shows. */
  limitedBy: string
  facts?: Record<string, unknown>
}

/** One performance goal; `npm run bench -- P3` measures one. */
export interface Figure {
  id: string
  title: string
  measure(bench: Bench): Promise<Reading[]>
}

export function ratioOf({ ours, floor }: Pick<Reading, 'ours' | 'floor'>): number {
  return ours / floor
}

export function isMet(reading: Reading): boolean {
  const value = reading.judgedBy === 'ratio' ? ratioOf(reading) : reading.ours
  return 'atLeast' in reading.goal ? value >= reading.goal.atLeast : value <= reading.goal.atMost
}
