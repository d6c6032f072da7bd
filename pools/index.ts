import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { LANES, type Lane, laneOf, type Outcome, type OutputFile, Problem, type ProblemData } from '#kit'
import { loadOperation, type NamedOperation } from '../tasks/index.ts'
import { Daemons } from './daemons.ts'
import { Folders } from './folders.ts'
import { toolsFor } from './hands.ts'
import type { HostRoom, JobRoom } from './job-room.ts'
import { Launches } from './launches.ts'
import { NativeChildren } from './native-children.ts'
import { type Outbound, openOutbound } from './outbound.ts'
import { type FileToProbe, probeFiles } from './probe.ts'
import { Programs, takeOut } from './programs.ts'
import { readyInput } from './ready-input.ts'
import type { SandboxLevel } from './sandbox.ts'
import { findLevel, type PoolLog } from './sandbox-level.ts'
import { Slots } from './slots.ts'
import { Threads } from './threads.ts'
import { reportTools, type ToolReport } from './tool-reports.ts'

export { ToolCrashed } from './tool-crashed.ts'
export type { FileToProbe, PoolLog, SandboxLevel, ToolReport }
export { openOutbound }

export interface PoolOptions {
  /** Where the jobs' private folders are made. */
  workRoot: string
  /** How many jobs of a lane run at once. */
  lanes: Record<Lane, number>
  sandbox: 'auto' | 'off'
  production: boolean
  /** How calls may fetch from the web; left out: not at all. */
  outbound?: Outbound
  log: PoolLog
}

export interface PoolJob {
  jobId: string
  operation: string
  /** Checked by the schema; each file in it is a `PlainFile`. */
  input: unknown
  folder: string
  signal: AbortSignal
  limitSeconds: number
  onProgress?(done: number, total: number, unit: string): void
}

export type PoolOutcome = { ok: true; outcome: Outcome<unknown> } | { ok: false; problem: ProblemData }

/** Figures of a lane: jobs by state, and for threads and children how many there are and what became of them. */
export type LaneStats = Record<'size' | 'running' | 'waiting', number> & Record<string, number>

const PROBE_SECONDS = 10
/** Whatever the lane's size: jobs that need no thread pass by here, and threads beyond the cores only cost memory. */
const MOST_IN_THREADS = availableParallelism() * 2

/** Opens everything operations run with: threads, warm children and confined programs. */
export async function openPools(options: PoolOptions): Promise<Pools> {
  const folders = new Folders(options.workRoot)
  await folders.prepare()
  const launches = new Launches()
  const level = await findLevel(options, folders, launches)
  options.log.info({ sandboxLevel: level ?? 'none' }, 'pools are open')
  return new Pools(options, folders, launches, level)
}

export class Pools {
  /** 2 and 1 confine, 0 is development without confinement; without a level programs and native engines are refused. */
  readonly sandboxLevel: SandboxLevel | undefined
  private readonly slots: Record<Lane, Slots>
  private readonly folders: Folders
  private readonly launches: Launches
  private readonly threads: Threads
  private readonly programs: Programs
  private readonly children: NativeChildren
  private readonly daemons: Daemons
  private readonly outbound: Outbound | undefined
  private readonly operations = new Map<string, Promise<NamedOperation>>()

  constructor(
    { lanes, workRoot, outbound }: PoolOptions,
    folders: Folders,
    launches: Launches,
    level: SandboxLevel | undefined,
  ) {
    const { thread, native, program, remote } = lanes
    this.slots = {
      thread: new Slots(Math.min(thread, MOST_IN_THREADS)),
      native: new Slots(native),
      program: new Slots(program),
      remote: new Slots(remote),
    }
    this.sandboxLevel = level
    this.outbound = outbound
    this.folders = folders
    this.launches = launches
    this.threads = new Threads(join(workRoot, '..', 'compile-cache'))
    this.programs = new Programs(level, launches)
    this.children = new NativeChildren(level, folders, native)
    this.daemons = new Daemons(level, folders, program)
  }

  /** Runs a job. A Problem is an answer; a crash of an engine rejects with `ToolCrashed`, a bug with its error. */
  async run(job: PoolJob): Promise<PoolOutcome> {
    const operation = await this.operation(job.operation)
    const lane = laneOf(operation.uses)
    try {
      const outcome = await this.slots[lane].use(job.signal, () => this.perform(job, operation, lane))
      return { ok: true, outcome }
    } catch (error) {
      if (error instanceof Problem) return { ok: false, problem: error.toData() }
      throw error
    }
  }

  /** What files are and how much of them there is, in the order given. Throws the Problem of the first that is bad. */
  probe(files: readonly FileToProbe[], folder: string, signal: AbortSignal) {
    return probeFiles(files, this.roomOf({ jobId: 'probe', folder, signal, limitSeconds: PROBE_SECONDS }))
  }

  resize(lane: Lane, size: number): void {
    this.slots[lane].resize(lane === 'thread' ? Math.min(size, MOST_IN_THREADS) : size)
    if (lane === 'native') this.children.resize(size)
    if (lane === 'program') this.daemons.resize(size)
  }

  stats(): Record<Lane, LaneStats> {
    const stats = Object.fromEntries(LANES.map(lane => [lane, this.laneStats(lane)])) as Record<Lane, LaneStats>
    Object.assign(stats.thread, { threads: this.threads.size, recycled: this.threads.recycled })
    Object.assign(stats.native, this.children.stats())
    Object.assign(stats.program, this.daemons.stats())
    return stats
  }

  async tools(): Promise<ToolReport[]> {
    const folder = await this.openFolder('tool-reports')
    const { signal } = new AbortController()
    try {
      return await reportTools(this.roomOf({ jobId: 'tool-reports', folder, signal, limitSeconds: PROBE_SECONDS }))
    } finally {
      await this.closeFolder('tool-reports')
    }
  }

  openFolder(jobId: string): Promise<string> {
    return this.folders.open(jobId)
  }

  closeFolder(jobId: string): Promise<void> {
    return this.folders.close(jobId)
  }

  async close(): Promise<void> {
    this.launches.close()
    await Promise.all([this.threads.close(), this.children.close(), this.daemons.close()])
    await this.folders.clear()
  }

  private operation(name: string): Promise<NamedOperation> {
    const loading = this.operations.get(name) ?? loadOperation(name)
    this.operations.set(name, loading)
    return loading
  }

  private laneStats(lane: Lane): LaneStats {
    const { size, running, waiting } = this.slots[lane]
    return { size, running, waiting }
  }

  private async perform(job: PoolJob, operation: NamedOperation, lane: Lane): Promise<Outcome<unknown>> {
    const room = this.roomOf(job)
    if (lane === 'thread') {
      const work = { kind: 'operation', operation: job.operation, input: job.input } as const
      return (await this.threads.run(room, work, job.onProgress)) as Outcome<unknown>
    }
    const tools = await toolsFor(operation.uses, room, this.threads)
    const progress = job.onProgress ?? (() => {})
    const hands = { ...tools, out: room.out, signal: room.signal, progress, now: () => new Date() }
    const outcome = await operation.run(await readyInput(operation.input, job.input), hands as never)
    await checkOutputs(outcome, room)
    return outcome
  }

  private roomOf({
    jobId,
    folder,
    signal,
    limitSeconds,
  }: Pick<PoolJob, 'jobId' | 'folder' | 'signal' | 'limitSeconds'>): HostRoom {
    const deadlineMs = performance.now() + limitSeconds * 1000
    const { programs, children, daemons, outbound } = this
    return {
      jobId,
      folder,
      signal,
      limitSeconds,
      deadlineMs,
      programs,
      children,
      daemons,
      outbound,
      out: name => placeIn(folder, name),
    }
  }
}

function placeIn(folder: string, name: string): string {
  if (name.includes('/') || name.startsWith('.')) throw new Error(`not a plain file name: ${name}`)
  return join(folder, name)
}

/** Every file an operation hands back by path is looked at once more before the store opens it. */
async function checkOutputs({ result }: Outcome<unknown>, room: JobRoom): Promise<void> {
  const files = Object.values(result as object).flat() as (OutputFile | undefined)[]
  const paths = files.flatMap(file => (typeof file === 'object' && file?.path ? [file.path] : []))
  for (const path of paths) await takeOut(room, path, 'operation')
}
