import { setTimeout as sleep } from 'node:timers/promises'
import { listTree } from '../bench/processor-time.ts'

/** False if the process had ended before. */
export function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}

/** Stops a process for a time, as a host does that is suspended or swaps. */
export async function freeze(pid: number, ms: number): Promise<boolean> {
  if (!sendSignal(pid, 'SIGSTOP')) return false
  await sleep(ms)
  sendSignal(pid, 'SIGCONT')
  return true
}

/** The processes below one. */
export function listChildren(pid: number): number[] {
  return listTree(pid).filter(child => child !== pid)
}
