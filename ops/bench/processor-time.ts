import { readdirSync, readFileSync } from 'node:fs'

/** The kernel counts in hundredths of a second, on every Linux. */
const TICKS_PER_SECOND = 100

export interface Machine {
  busySeconds: number
  allSeconds: number
}

interface ProcessTimes {
  parent: number
  /** Its own, and that of children it has buried. */
  seconds: number
}

/** Processor time of whole trees of processes, by the id of each root. Children that have ended count. */
export function timesOfTrees(roots: readonly number[]): number[] {
  const all = new Map<number, ProcessTimes>()
  for (const name of readdirSync('/proc')) {
    const times = /^\d+$/.test(name) ? timesOf(Number(name)) : undefined
    if (times) all.set(Number(name), times)
  }
  const sums = new Map(roots.map(root => [root, 0]))
  for (const [pid, { seconds }] of all) {
    const root = rootOf(pid, all, sums)
    if (root !== undefined) sums.set(root, sums.get(root)! + seconds)
  }
  return roots.map(root => sums.get(root)!)
}

/** What this process has spent on children that have ended: the load generators. */
export function timeOfEndedChildren(): number {
  const fields = statFields(process.pid)!
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND
}

export function timeOf(pid: number): number {
  const fields = statFields(pid)
  return fields ? (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND : 0
}

export function machineTime(): Machine {
  const [, ...ticks] = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0]!.split(/\s+/)
  const seconds = ticks.slice(0, 8).map(tick => Number(tick) / TICKS_PER_SECOND)
  const allSeconds = seconds.reduce((sum, part) => sum + part, 0)
  return { allSeconds, busySeconds: allSeconds - seconds[3]! - seconds[4]! }
}

export function residentBytes(pid: number): number {
  const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(line![1]) * 1_024
}

/** Resident bytes of a process and everything below it; what two of them share counts twice. */
export function residentBytesOfTree(root: number): number {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc')) {
    const fields = /^\d+$/.test(name) ? statFields(Number(name)) : undefined
    if (fields) parents.set(Number(name), Number(fields[1]))
  }
  const isBelow = (pid: number | undefined): boolean => pid === root || (!!pid && isBelow(parents.get(pid)))
  return [...parents.keys()].filter(isBelow).reduce((sum, pid) => sum + residentOrNone(pid), 0)
}

/** A process may have ended since it was seen. */
function residentOrNone(pid: number): number {
  try {
    return residentBytes(pid)
  } catch {
    return 0
  }
}

function rootOf(
  pid: number,
  all: ReadonlyMap<number, ProcessTimes>,
  roots: ReadonlyMap<number, number>,
): number | undefined {
  for (let at: number | undefined = pid; at !== undefined; at = all.get(at)?.parent) if (roots.has(at)) return at
  return undefined
}

function timesOf(pid: number): ProcessTimes | undefined {
  const fields = statFields(pid)
  if (!fields) return undefined
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
  return { parent: Number(fields[1]), seconds: ticks / TICKS_PER_SECOND }
}

/** What follows the name, which may hold anything: field 0 is the state. */
function statFields(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}
