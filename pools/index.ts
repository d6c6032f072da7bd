import { getCompileCacheDir } from 'node:module'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import {
  FILE_LIMITS,
  type FileLimits,
  LANES,
  type Lane,
  laneOf,
  type Outcome,
  Problem,
  type ProblemData,
  selectTools,
  type ToolName,
  type Tools,
} from '#kit'
import { loadOperation, type NamedOperation } from '../tasks/index.ts'
import { bindTools } from './bind-tools.ts'
import { Daemons } from './daemons/registry.ts'
import { createOutboundFetch } from './fetch/outbound.ts'
import { Folders } from './folders.ts'
import type { HostContext, SavedParts } from './host-context.ts'
import type { FileToProbe } from './inspect/file-to-probe.ts'
import { probeFiles } from './inspect/probe.ts'
import type { OutsideContext, PoolJob, PoolOptions, ToolJob } from './job.ts'
import { resolveFileName } from './job-context.ts'
import { NativeEngines } from './native/engines.ts'
import { LauncherClient } from './programs/launcher-client.ts'
import { Programs } from './programs/run.ts'
import type { SandboxLevel } from './programs/sandbox.ts'
import { findSandboxLevel, type PoolLog } from './programs/sandbox-level.ts'
import { openWarmSandboxes } from './programs/warm/open.ts'
import type { WarmSandboxes } from './programs/warm/sandboxes.ts'
import { runOperation } from './run-operation.ts'
import { Slots } from './slots.ts'
import { openSteps } from './steps.ts'
import { Threads } from './threads/pool.ts'
import type { ToolReport } from './tool-reports.ts'
import { listEnginesOf, type TrialPlace, tryTools, watchTools } from './tool-trials.ts'
import type { TOOLS } from './tools/index.ts'

export { ToolCrashed, ToolLost, ToolMissing } from './tool-crashed.ts'
export type { FileToProbe, PoolJob, PoolLog, PoolOptions, SandboxLevel, SavedParts, ToolReport }
export { createOutboundFetch }

type PoolOutcome = { ok: true; outcome: Outcome<unknown> } | { ok: false; problem: ProblemData }

/** Figures of a lane: jobs by state, and how many threads or processes there are and were replaced. */
type LaneStats = Record<'size' | 'running' | 'waiting', number> & Record<string, number>

const PROBE_SECONDS = 10
/** A cap on the lane's size: threads beyond the number of cores only cost memory. */
const MAX_THREAD_JOBS = availableParallelism() * 2

/** Opens everything operations run with: threads, native engines, daemons and confined programs. */
export async function openPools(options: PoolOptions): Promise<Pools> {
  const folders = new Folders(options.workRoot)
  await folders.prepare()
  const launcher = new LauncherClient()
  const level = await findSandboxLevel(options, folders, launcher)
  const warm = await openWarmSandboxes(level, options.lanes.program, { folders, launcher, log: options.log })
  options.log.info({ sandboxLevel: level ?? 'none', warmSandboxes: warm !== undefined }, 'pools are open')
  return new Pools(options, { folders, launcher, level, warm })
}

/** What confines: found out before any job runs. */
interface Foundation {
  folders: Folders
  launcher: LauncherClient
  level: SandboxLevel | undefined
  warm: WarmSandboxes | undefined
}

export class Pools {
  /** 2 and 1 confine, 0 does not (development). Without a level, programs and native engines are refused. */
  readonly sandboxLevel: SandboxLevel | undefined
  readonly #slots: Record<Lane, Slots>
  readonly #folders: Folders
  readonly #launcher: LauncherClient
  readonly #warm: WarmSandboxes | undefined
  readonly #threads: Threads
  readonly #programs: Programs
  readonly #engines: NativeEngines
  readonly #daemons: Daemons
  readonly #outside: OutsideContext
  readonly #operations = new Map<string, Promise<NamedOperation>>()
  readonly #findAdded: PoolOptions['findAdded']

  constructor(options: PoolOptions, { folders, launcher, level, warm }: Foundation) {
    const { lanes, workRoot, outbound, ffmpegPath, timestamps, languageModels, embeddings, ...providers } = options
    const { transcriber, translator, proofreader, documents, vision, plugins } = providers
    const hosted = { languageModels, embeddings, transcriber, translator, proofreader, documents, vision }
    this.#outside = { outbound, ffmpegPath, timestamps, plugins, ...hosted }
    this.#findAdded = options.findAdded
    const { thread, native, program, remote } = lanes
    this.#slots = {
      thread: new Slots(Math.min(thread, MAX_THREAD_JOBS)),
      native: new Slots(native),
      program: new Slots(program),
      remote: new Slots(remote),
    }
    this.sandboxLevel = level
    this.#folders = folders
    this.#launcher = launcher
    const codeFolder = join(workRoot, '..', 'compile-cache')
    const ownCode = getCompileCacheDir()
    this.#threads = new Threads(ownCode === undefined ? codeFolder : dirname(ownCode))
    this.#warm = warm
    this.#programs = new Programs(level, launcher, warm)
    const visible = { vision: vision?.modelsDir ? [vision.modelsDir] : [], plugin: plugins && [plugins.folder] }
    this.#engines = new NativeEngines(level, folders, native, { codeFolder, visible })
    this.#daemons = new Daemons(level, folders, program)
  }

  /** Runs a job. A Problem is an answer; a crash of an engine rejects with `ToolCrashed`, a bug with its error. */
  async run(job: PoolJob): Promise<PoolOutcome> {
    const operation = job.given ?? selectTools(await this.#loadOperation(job.operation), job.input)
    const lane = job.lane ?? laneOf(operation.uses)
    try {
      const outcome = await this.#slots[lane].use(job.signal, () => this.#runOperation(job, operation, lane))
      return { ok: true, outcome }
    } catch (error) {
      if (error instanceof Problem) return { ok: false, problem: error.toData() }
      throw error
    }
  }

  /**
   * Gives tools to work of a product that is no operation, in a place of their lane. Rejects at once where this process does
   * not serve that lane, so that another one tries.
   */
  async useTools<Name extends ToolName, Result>(
    job: ToolJob,
    names: readonly Name[],
    work: (tools: Pick<Tools, Name>, context: Pick<HostContext, 'out' | 'signal'>) => Promise<Result>,
  ): Promise<Result> {
    const lane = laneOf(names)
    if (this.#slots[lane].size === 0) throw new Error(`this process does not serve the lane ${lane}`)
    return this.#slots[lane].use(job.signal, async () => {
      const context = this.#createContext(job)
      return work((await bindTools(names, context, this.#threads)) as Pick<Tools, Name>, context)
    })
  }

  /** Finds the pages or dimensions of files, in the order given. Throws a Problem if a file cannot be read. */
  probe(
    files: readonly FileToProbe[],
    folder: string,
    signal: AbortSignal,
    { limits = FILE_LIMITS, limitSeconds = PROBE_SECONDS }: { limits?: FileLimits; limitSeconds?: number } = {},
  ) {
    const seconds = Math.min(limitSeconds, PROBE_SECONDS)
    const context = this.#createContext({ jobId: 'probe', folder, signal, limitSeconds: seconds })
    return probeFiles(files, context, limits)
  }

  resize(lane: Lane, size: number): void {
    this.#slots[lane].resize(lane === 'thread' ? Math.min(size, MAX_THREAD_JOBS) : size)
    if (lane === 'native') this.#engines.resize(size)
    if (lane === 'program') this.#daemons.resize(size)
    if (lane === 'program') this.#warm?.resize(size)
  }

  stats(): Record<Lane, LaneStats> {
    const stats = Object.fromEntries(LANES.map(lane => [lane, this.#laneStats(lane)])) as Record<Lane, LaneStats>
    Object.assign(stats.thread, { threads: this.#threads.size, recycled: this.#threads.recycled })
    Object.assign(stats.native, this.#engines.stats())
    Object.assign(stats.program, this.#daemons.stats(), { sandboxes: this.#warm?.count ?? 0 })
    return stats
  }

  /** Finds out which tools of these lanes work here, and keeps looking until `stop`. `onChange` gets all that is known. */
  watchTools(lanes: readonly Lane[], onChange: (reports: ToolReport[]) => void) {
    return watchTools(this.#trials, onChange, listEnginesOf(lanes))
  }

  /** Tries tools once, each or those that are named. What could not be tried in time is left out. */
  tools(names?: readonly (keyof typeof TOOLS)[]): Promise<ToolReport[]> {
    return tryTools(this.#trials, names)
  }

  get #trials(): TrialPlace {
    return {
      open: jobId => this.openFolder(jobId),
      close: jobId => this.closeFolder(jobId),
      createContext: job => this.#createContext(job),
    }
  }

  openFolder(jobId: string): Promise<string> {
    return this.#folders.open(jobId)
  }

  /** Where the folder of a job would be; it may not exist. */
  folderPath(jobId: string): string {
    return this.#folders.pathOf(jobId)
  }

  closeFolder(jobId: string): Promise<void> {
    return this.#folders.close(jobId)
  }

  /** Where to note what must be cleaned up if this process dies; see `removeDeadFolders`. */
  get notesFolder(): string {
    return this.#folders.notes
  }

  /** Removes the folders of dead processes; the names of their notes are given to `onNotes` first. */
  removeDeadFolders(onNotes: (names: string[]) => Promise<void>): Promise<void> {
    return this.#folders.removeDead(onNotes)
  }

  async close(): Promise<void> {
    this.#launcher.close()
    this.#warm?.close()
    this.#engines.close()
    this.#daemons.close()
    await this.#threads.close()
    await this.#folders.clear()
  }

  async #loadOperation(name: string): Promise<NamedOperation> {
    const added = this.#findAdded?.(name)
    if (added) return added
    const loading = this.#operations.get(name) ?? loadOperation(name)
    this.#operations.set(name, loading)
    return loading
  }

  #laneStats(lane: Lane): LaneStats {
    const { size, running, waiting } = this.#slots[lane]
    return { size, running, waiting }
  }

  #runOperation(job: PoolJob, operation: NamedOperation, lane: Lane): Promise<Outcome<unknown>> {
    const context = this.#createContext(job)
    const places = {
      lane,
      slots: this.#slots,
      threads: this.#threads,
      load: (name: string) => this.#loadOperation(name),
    }
    const runStep = job.stepLimits && openSteps(context, { ...job, limits: job.stepLimits }, places)
    return runOperation(context, this.#threads, { ...job, operation, lane, runStep })
  }

  #createContext(job: ToolJob): HostContext {
    const { jobId, accountId, folder, signal, limitSeconds, onProgress, savedParts } = job
    const deadlineMs = performance.now() + limitSeconds * 1000
    return {
      ...{ jobId, accountId, folder, signal, limitSeconds, deadlineMs },
      programs: this.#programs,
      engines: this.#engines,
      daemons: this.#daemons,
      ...this.#outside,
      onProgress,
      savedParts,
      out: name => resolveFileName(folder, name),
    }
  }
}
