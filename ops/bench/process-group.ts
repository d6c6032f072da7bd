import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { listTree } from './processor-time.ts'

/** Where the kernel adds up processor time: the first version of control groups, and the second. */
const HIERARCHIES = [
  { folder: '/sys/fs/cgroup/cpuacct', read: (group: string) => Number(readText(group, 'cpuacct.usage')) / 1e9 },
  {
    folder: '/sys/fs/cgroup',
    read: (group: string) => Number(/^usage_usec (\d+)/m.exec(readText(group, 'cpu.stat'))![1]) / 1e6,
  },
]

function readText(group: string, file: string): string {
  return readFileSync(join(group, file), 'utf8')
}

let groups = 0
const MAX_MOVES = 5

/**
 * Processes and all that they start from now on. The time of a confined process that was killed is not found in that of
 * its parent, but it is found here.
 */
export class ProcessGroup implements Disposable {
  readonly #folder: string
  readonly #parent: string
  readonly #read: (group: string) => number

  private constructor({ folder, read }: (typeof HIERARCHIES)[0]) {
    this.#parent = folder
    this.#read = read
    this.#folder = join(folder, `coinop-bench-${process.pid}-${++groups}`)
  }

  /** Undefined where this process may not make groups. */
  static open(roots: readonly number[]): ProcessGroup | undefined {
    for (const hierarchy of HIERARCHIES) {
      if (!existsSync(join(hierarchy.folder, 'cgroup.procs'))) continue
      const group = new ProcessGroup(hierarchy)
      try {
        mkdirSync(group.#folder)
        for (const root of roots) for (const pid of [root, ...listTree(root)]) moveProcess(pid, group.#folder)
        group.readSeconds()
        return group
      } catch {
        group[Symbol.dispose]()
      }
    }
    return undefined
  }

  readSeconds(): number {
    return this.#read(this.#folder)
  }

  [Symbol.dispose](): void {
    // A process may start another one in this moment.
    for (let move = 0; move < MAX_MOVES && !this.#remove(); move++);
  }

  #remove(): boolean {
    try {
      const pids = readText(this.#folder, 'cgroup.procs').trim().split('\n').filter(Boolean)
      for (const pid of pids) moveProcess(Number(pid), this.#parent)
      rmdirSync(this.#folder)
      return true
    } catch {
      return !existsSync(this.#folder)
    }
  }
}

/** A process may have ended since it was listed. */
function moveProcess(pid: number, group: string): void {
  if (existsSync(`/proc/${pid}`)) writeFileSync(join(group, 'cgroup.procs'), String(pid))
}
