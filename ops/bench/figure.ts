import type { Home } from './home.ts'
import type { Generator } from './load.ts'

/** How long and how often is measured. */
export interface Pace {
  rounds: number
  seconds: number
  warmUpSeconds: number
  /** One of the windows whose first and last are compared over a long run. */
  windowSeconds: number
  /** Share of the rows that a figure puts into the database. */
  bulk: number
}

export const PACE: Pace = { rounds: 3, seconds: 4, warmUpSeconds: 2, windowSeconds: 10, bulk: 1 }
export const QUICK_PACE: Pace = { rounds: 2, seconds: 1, warmUpSeconds: 1, windowSeconds: 2, bulk: 0.02 }

/** What a figure is measured with. */
export interface Bench {
  home: Home
  pace: Pace
  generator: Generator
  say(text: string): void
}

export type Goal = { atLeast: number } | { atMost: number }

/** One line of the table. Where there is no floor to divide by, the goal is held against the figure itself. */
export interface Reading {
  of: string
  unit: string
  ours: number
  floor: number
  goal: Goal
  judged: 'ratio' | 'ours'
  /** What limits it, as far as the measurement says. */
  limit: string
  facts?: Record<string, unknown>
}

/** One question of the page of goals; `npm run bench -- P3` asks one. */
export interface Figure {
  id: string
  title: string
  measure(bench: Bench): Promise<Reading[]>
}

export function ratioOf({ ours, floor }: Pick<Reading, 'ours' | 'floor'>): number {
  return ours / floor
}

export function isMet(reading: Reading): boolean {
  const value = reading.judged === 'ratio' ? ratioOf(reading) : reading.ours
  return 'atLeast' in reading.goal ? value >= reading.goal.atLeast : value <= reading.goal.atMost
}
