import type { ChildProcess } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

const MAX_STDERR_LENGTH = 2000

/** Resolves when a child ends, with why it did and the end of its stderr. */
export function waitForEnd(child: ChildProcess): Promise<string> {
  let stderr = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk).slice(-MAX_STDERR_LENGTH)
  })
  return new Promise(resolve => {
    child.on('error', error => resolve(error.message))
    child.on('exit', (code, signal) => resolve(`${signal ?? `exit code ${code}`} ${stderr}`.trim()))
  })
}

/** Kills a child that leads a process group, and the group with it. */
export function killGroup(child: ChildProcess): void {
  if (!child.pid || child.exitCode !== null || child.signalCode !== null) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // It ended between the check and the kill.
  }
}

/** Sums a figure of a process and all its descendants. Linux only; 0 elsewhere and for a process that is gone. */
export function sumOverTree(pid: number | undefined, readBytes: (pid: number) => number): number {
  if (pid === undefined) return 0
  try {
    const own = readBytes(pid)
    return listChildren(pid).reduce((sum, child) => sum + sumOverTree(child, readBytes), own)
  } catch {
    return 0
  }
}

/** The children of a process. Linux only; none elsewhere and for a process that is gone. */
export function listChildren(pid: number | undefined): number[] {
  try {
    const pids = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
    return pids === '' ? [] : pids.split(' ').map(Number)
  } catch {
    return []
  }
}

/** A job that waits for a processor gets its time back, up to as many times its limit in all. */
export const MAX_STRETCH = 4

/** How long the most delayed thread of a process was ready to run while all processors worked for others. */
export function readWaitingMs(pid: number): number {
  return readLongest(pid, WAITING)
}

/** How long the busiest thread of a process has run on a processor. */
export function readRunningMs(pid: number): number {
  return readLongest(pid, RUNNING)
}

const [RUNNING, WAITING] = [0, 1]

function readLongest(pid: number, column: number): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  return Math.max(0, ...threads.map(thread => readThreadNs(`/proc/${pid}/task/${thread}/schedstat`, column))) / 1e6
}

/** 0 for a thread that has just ended, and for a kernel without these figures. */
function readThreadNs(path: string, column: number): number {
  try {
    return Number(readFileSync(path, 'utf8').split(' ')[column]) || 0
  } catch {
    return 0
  }
}

const PAGE_BYTES = 4096

/** All memory that is mapped in, shared code included. */
export function readResidentBytes(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES
}

/** The memory a process holds for itself, shared code left out. */
export function readPrivateBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const figure = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) * 1024
  return figure('RssAnon') + figure('RssShmem')
}
