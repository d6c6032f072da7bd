import { readdirSync, readFileSync } from 'node:fs'

export interface Process {
  pid: number
  parent: number
  command: string
  /** `R` runs, `S` sleeps, `Z` is a zombie; the state of the busiest thread. */
  state: string
}

/** All descendants of a process. */
export function listDescendants(pid: number): Process[] {
  const all = readdirSync('/proc').flatMap(name => (/^\d+$/.test(name) ? (readProcess(Number(name)) ?? []) : []))
  const found: Process[] = []
  for (let parents = [pid]; parents.length > 0; ) {
    const children = all.filter(({ parent }) => parents.includes(parent))
    found.push(...children)
    parents = children.map(child => child.pid)
  }
  return found
}

/** Sends a signal to a process and all its descendants, of which some may end meanwhile. */
export function signalTree(pid: number, signal: NodeJS.Signals): void {
  for (const each of [pid, ...listDescendants(pid).map(child => child.pid)]) {
    try {
      process.kill(each, signal)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}

/** Whether a process is still running; a zombie is not. */
export function isAlive(pid: number): boolean {
  const found = readProcess(pid)
  return found !== undefined && found.state !== 'Z'
}

function readProcess(pid: number): Process | undefined {
  try {
    const parent = Number(readStat(`/proc/${pid}/stat`)[1])
    const states = readdirSync(`/proc/${pid}/task`).map(task => readStat(`/proc/${pid}/task/${task}/stat`)[0]!)
    const state = states.includes('R') ? 'R' : states[0]!
    return { pid, parent, state, command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ') }
  } catch {
    return undefined
  }
}

function readStat(path: string): string[] {
  const text = readFileSync(path, 'utf8')
  return text.slice(text.lastIndexOf(')') + 2).split(' ')
}
