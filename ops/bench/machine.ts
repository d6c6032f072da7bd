import { cpus, loadavg, release, totalmem } from 'node:os'
import type { Generator } from './load/run.ts'

/** The machine that was measured: ratios can be compared between machines, rates cannot. */
export interface MachineFacts {
  model: string
  cores: number
  memoryGiB: number
  kernel: string
  node: string
  /** Load average of the last minute before the first measurement. */
  loadAtStart: number
  generator: Generator
  at: string
}

export function describeMachine(generator: Generator): MachineFacts {
  const cores = cpus()
  return {
    model: cores[0]?.model ?? 'unknown',
    cores: cores.length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
    loadAtStart: loadavg()[0]!,
    generator,
    at: new Date().toISOString(),
  }
}
