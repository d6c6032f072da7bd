import { Problem } from '#kit'
import { trace } from '../../ops/tracing/trace.ts'
import type { Folders } from '../folders.ts'
import type { JobContext } from '../job-context.ts'
import { MAX_STRETCH } from '../processes/child.ts'
import type { WorkerKind } from '../processes/worker-kind.ts'
import type { WorkerPool } from '../processes/worker-pool.ts'
import { WorkerPools } from '../processes/worker-pools.ts'
import { ownerOf } from '../programs/run.ts'
import type { SandboxLevel } from '../programs/sandbox.ts'
import { CodeCache } from './code-cache.ts'
import { lendFiles, moveSpilledFiles, removeLentFiles } from './files.ts'
import { EngineProcess, type ProcessOptions } from './process.ts'

/** The limits of each engine's processes. A synchronous engine takes one call at a time. */
type EngineLimits = Pick<
  WorkerKind<unknown>,
  'callsInFlight' | 'memoryMb' | 'recycleMb' | 'maxIdleMs' | 'callSeconds' | 'abortsOutOfMemory' | 'isTransient'
> &
  Omit<ProcessOptions, 'engine'>

const ENGINES: Record<string, EngineLimits> = {
  sharp: { callsInFlight: 8, memoryMb: 3072, recycleMb: 768, maxIdleMs: Infinity },
  charts: {
    callsInFlight: 1,
    memoryMb: 800,
    recycleMb: 600,
    maxIdleMs: Infinity,
    callSeconds: 5,
    abortsOutOfMemory: true,
  },
  libpdf: { callsInFlight: 1, memoryMb: 1024, recycleMb: 384, maxIdleMs: Infinity },
  // It takes 400 MB as soon as it has started, so it is not kept when it is not used.
  pandoc: { callsInFlight: 1, memoryMb: 1536, recycleMb: 900, maxIdleMs: 5 * 60_000 },
  // A process holds one version of one plugin. It may do what it likes within these limits.
  plugin: {
    callsInFlight: 1,
    memoryMb: 1024,
    recycleMb: 512,
    maxIdleMs: 60_000,
    dataMb: 1536,
    heapMb: 768,
    hasWholeKit: true,
    isTransient: true,
  },
  // A process holds one model, which it takes long to load.
  vision: { callsInFlight: 1, memoryMb: 4096, recycleMb: 3072, maxIdleMs: 10 * 60_000 },
  // Its one process holds the model, and a tokenizer of 250,000 words.
  embedding: { callsInFlight: 1, memoryMb: 4096, recycleMb: 3584, maxIdleMs: Infinity, heapMb: 1024 },
  // For a table of 2,000 columns its database reserves a gigabyte of which it uses a tenth.
  duckdb: { callsInFlight: 1, memoryMb: 1900, recycleMb: 500, maxIdleMs: Infinity, dataMb: 2800, heapMb: 1024 },
}

/** Folders that the processes of an engine can read besides our code. */
type VisibleFolders = Readonly<Record<string, readonly string[] | undefined>>

interface EngineFolders {
  /** Where compiled code is kept. */
  codeFolder?: string
  visible?: VisibleFolders
}

const MAX_CALLS = 2000
/** How long after the deadline a process may still answer before it is killed. */
const GRACE_MS = 1000
/** An engine whose processes are replaced so often starts faster from compiled code. */
const STARTS_WITHOUT_CACHE = 3

/** libvips takes no longer limit. */
const MAX_CALL_SECONDS = 3600

/** Engines in confined child processes that are kept between calls, a pool for each engine. */
export class NativeEngines {
  readonly #level: SandboxLevel | undefined
  readonly #visible: VisibleFolders
  readonly #pools: WorkerPools
  readonly #folders: Folders
  readonly #code: CodeCache | undefined
  #lastCallId = 0
  #lastGroupId = 0

  constructor(
    level: SandboxLevel | undefined,
    folders: Folders,
    concurrency: number,
    { codeFolder, visible = {} }: EngineFolders = {},
  ) {
    this.#level = level
    this.#folders = folders
    this.#visible = visible
    // At the other levels nothing keeps a process from changing the code of the next one.
    this.#code = level === 2 && codeFolder !== undefined ? new CodeCache(codeFolder) : undefined
    this.#pools = new WorkerPools(folders, concurrency)
  }

  /**
   * Calls a method of an engine with files. Bytes come back as bytes, or as a file of the job where they are many. Calls
   * with a `group` share processes only with others of that group. A call that runs on a processor for longer than
   * `maxRunSeconds` fails.
   */
  async call<Value>(
    context: JobContext,
    engine: string,
    method: string,
    files: readonly string[],
    args: unknown,
    { group = '', maxRunSeconds }: { group?: string; maxRunSeconds?: number } = {},
  ): Promise<Value> {
    if (this.#level === undefined) throw new Problem('SANDBOX_UNAVAILABLE', { engine })
    const pool = this.#openPool(engine, group, this.#level)
    const work = async (child: EngineProcess) => {
      const id = ++this.#lastCallId
      const names = await lendFiles(files, child, id)
      // An engine stops by itself when it cannot be in time even if it waits for processors; before that, the pool decides.
      const secondsLeft = (MAX_STRETCH * (context.deadlineMs - performance.now())) / 1000
      const seconds = Math.min(MAX_CALL_SECONDS, Math.max(0.1, secondsLeft))
      const answer = await child.request({ id, engine, method, args, files: names, seconds })
      removeLentFiles(files.length, child.folder, id)
      if (answer.problem) throw Problem.from(answer.problem)
      if (answer.error) throw Object.assign(new Error(answer.error.message), answer.error)
      return (await moveSpilledFiles(answer.value, child.folder, context, engine)) as Value
    }
    return trace(`engine ${engine}.${method}`, undefined, () => pool.run(context, work, maxRunSeconds))
  }

  /** Folders of processes are named after their pool, and a group can have any name. */
  #openPool(engine: string, group: string, level: SandboxLevel): WorkerPool<EngineProcess> {
    return this.#pools.open(`${engine} ${group}`, level, () => {
      const folderPrefix = group === '' ? `native-${engine}` : `native-${engine}-${++this.#lastGroupId}`
      return this.#createKind(engine, folderPrefix)
    })
  }

  resize(concurrency: number): void {
    this.#pools.resize(concurrency)
  }

  stats() {
    const { processes, ...stats } = this.#pools.stats()
    return { children: processes, ...stats }
  }

  close(): void {
    this.#pools.close()
  }

  #createKind(engine: string, folderPrefix: string): WorkerKind<EngineProcess> {
    const limits = ENGINES[engine]
    if (!limits) throw new Error(`no native engine ${engine}`)
    const visible = this.#visible[engine]
    let starts = 0
    return {
      ...limits,
      name: engine,
      folderPrefix,
      maxCalls: MAX_CALLS,
      abortsOutOfMemory: limits.abortsOutOfMemory ?? limits.dataMb !== undefined,
      replacesSpent: true,
      graceMs: GRACE_MS,
      startProvenBy: 'first-call',
      failedStartFails: 'whole-queue',
      start: ({ level, folder }) => {
        if (++starts === STARTS_WITHOUT_CACHE) this.#code?.fill(engine, code => this.#loadOnce(engine, code))
        const uid = ownerOf(folder)
        const code = this.#code?.mountFor(uid)
        const child = new EngineProcess(level, folder, uid, { engine, ...limits, code, visible })
        return { process: child, opened: child.ready.then(() => child) }
      },
      isUsableAfter: () => true,
    }
  }

  /** Starts an engine that writes its compiled code to a folder. It gets no input, and so it is not confined. */
  async #loadOnce(engine: string, codeFolder: string): Promise<void> {
    const name = `code-${engine}`
    const folder = await this.#folders.open(name)
    const child = new EngineProcess(0, folder, ownerOf(folder), {
      engine,
      code: { folder: codeFolder },
      hasWholeKit: ENGINES[engine]?.hasWholeKit,
    })
    try {
      await Promise.race([child.ready, child.ended])
      await Promise.race([
        child.request({ id: 0, engine, method: 'version', args: {}, files: [], seconds: 1 }),
        child.ended,
      ])
      child.end()
      await child.ended
    } finally {
      child.kill()
      await this.#folders.close(name)
    }
  }
}
