import { cpus, loadavg, release, totalmem } from 'node:os'
import type { Generator } from './load.ts'

/** Where the figures come from: ratios travel between machines, rates do not. */
export interface MachineFacts {
  model: string
  cores: number
  memoryGiB: number
  kernel: string
  node: string
  /** Of the last minute, before anything was measured. */
  loadAtStart: number
  generator: Generator
  at: string
}

export function machineFacts(generator: Generator): MachineFacts {
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
