import { readdirSync, readFileSync } from 'node:fs'

/** The kernel counts in hundredths of a second on every Linux. */
const TICKS_PER_SECOND = 100

interface MachineTimes {
  busySeconds: number
  allSeconds: number
}

interface ProcessTimes {
  parent: number
  /** Its own time and that of children it has waited for. */
  seconds: number
}

/** Processor time of whole process trees, one value for each root pid. Children that have exited count. */
export function readTreeTimes(roots: readonly number[]): number[] {
  const all = new Map<number, ProcessTimes>()
  for (const name of readdirSync('/proc')) {
    const times = /^\d+$/.test(name) ? readProcessTimes(Number(name)) : undefined
    if (times) all.set(Number(name), times)
  }
  const sums = new Map(roots.map(root => [root, 0]))
  for (const [pid, { seconds }] of all) {
    const root = findRoot(pid, all, sums)
    if (root !== undefined) sums.set(root, sums.get(root)! + seconds)
  }
  return roots.map(root => sums.get(root)!)
}

/** The time of the exited children of this process, which are the load generators. */
export function readEndedChildrenTime(): number {
  const fields = readStatFields(process.pid)!
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND
}

export function readProcessTime(pid: number): number {
  const fields = readStatFields(pid)
  return fields ? (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND : 0
}

export function readMachineTimes(): MachineTimes {
  const [, ...ticks] = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0]!.split(/\s+/)
  const seconds = ticks.slice(0, 8).map(tick => Number(tick) / TICKS_PER_SECOND)
  const allSeconds = seconds.reduce((sum, part) => sum + part, 0)
  return { allSeconds, busySeconds: allSeconds - seconds[3]! - seconds[4]! }
}

export function readResidentBytes(pid: number): number {
  const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(line![1]) * 1_024
}

/** Resident bytes of a process and its descendants; shared memory counts more than once. */
export function readTreeResidentBytes(root: number): number {
  return listTree(root).reduce((sum, pid) => sum + readResidentBytesIfAlive(pid), 0)
}

/** A process and its descendants. */
export function listTree(root: number): number[] {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc')) {
    const fields = /^\d+$/.test(name) ? readStatFields(Number(name)) : undefined
    if (fields) parents.set(Number(name), Number(fields[1]))
  }
  const isBelow = (pid: number | undefined): boolean => pid === root || (!!pid && isBelow(parents.get(pid)))
  return [...parents.keys()].filter(isBelow)
}

/** The process may have exited since it was listed. */
export function readResidentBytesIfAlive(pid: number): number {
  try {
    return readResidentBytes(pid)
  } catch {
    return 0
  }
}

function findRoot(
  pid: number,
  all: ReadonlyMap<number, ProcessTimes>,
  roots: ReadonlyMap<number, number>,
): number | undefined {
  for (let at: number | undefined = pid; at !== undefined; at = all.get(at)?.parent) if (roots.has(at)) return at
  return undefined
}

function readProcessTimes(pid: number): ProcessTimes | undefined {
  const fields = readStatFields(pid)
  if (!fields) return undefined
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
  return { parent: Number(fields[1]), seconds: ticks / TICKS_PER_SECOND }
}

/** The fields after the process name, which may contain spaces; field 0 is the state. */
function readStatFields(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}
