import { chownSync } from 'node:fs'
import { Problem } from '#kit'
import { trace } from '../../ops/tracing/trace.ts'
import type { Folders } from '../folders.ts'
import type { JobContext } from '../job-context.ts'
import type { WorkerKind } from '../processes/worker-kind.ts'
import { WorkerPools } from '../processes/worker-pools.ts'
import { ownerOf } from '../programs/run.ts'
import { isRoot, type SandboxLevel } from '../programs/sandbox.ts'
import type { DaemonKind } from './kind.ts'
import { Daemon } from './process.ts'

const MAX_IDLE_MS = 5 * 60_000

/** Confined programs that are kept running, a pool for each kind. Each does one call at a time. */
export class Daemons {
  readonly #level: SandboxLevel | undefined
  readonly #pools: WorkerPools

  constructor(level: SandboxLevel | undefined, folders: Folders, concurrency: number) {
    this.#level = level
    this.#pools = new WorkerPools(folders, concurrency)
  }

  /** Works with a program of a kind until the job's deadline; unfinished work is stopped then by killing its program. */
  async use<Session, Result>(
    context: JobContext,
    kind: DaemonKind<Session>,
    work: (session: Session) => Promise<Result>,
  ): Promise<Result> {
    if (this.#level === undefined) throw new Problem('SANDBOX_UNAVAILABLE', { program: kind.name })
    const pool = this.#pools.open(kind.name, this.#level, () => createWorkerKind(kind))
    return trace(`program ${kind.name}`, undefined, () => pool.run(context, work))
  }

  resize(concurrency: number): void {
    this.#pools.resize(concurrency)
  }

  stats() {
    const { processes, ...stats } = this.#pools.stats()
    return { daemons: processes, ...stats }
  }

  close(): void {
    this.#pools.close()
  }
}

/** After these problems it is unknown what the program is still busy with. */
const LIMIT_PROBLEMS = new Set<string>(['TIME_LIMIT_EXCEEDED', 'MEMORY_LIMIT_EXCEEDED'])

function createWorkerKind<Session>(kind: DaemonKind<Session>): WorkerKind<Session> {
  const { name, maxCalls, memoryMb, recycleMb, startTimeoutMs, pause } = kind
  return {
    name,
    folderPrefix: `daemon-${name}`,
    callsInFlight: 1,
    maxCalls,
    memoryMb,
    recycleMb,
    startTimeoutMs,
    pause,
    maxIdleMs: MAX_IDLE_MS,
    graceMs: 0,
    startProvenBy: 'opening',
    // The next start may differ from the one that failed: `command` is told of the failed ones.
    failedStartFails: 'first-in-queue',
    start({ folder, level, failedStarts }) {
      // Without confinement the program runs as root, and Chromium gives up root's right to write into others' folders.
      if (level === 0 && isRoot) chownSync(folder, 0, 0)
      const place = { level, folder, uid: ownerOf(folder), visible: kind.visible?.() ?? [] }
      const daemon = new Daemon(place, home => kind.command({ home, level, failedStarts }))
      return { process: daemon, opened: kind.open(daemon) }
    },
    reset: session => kind.reset(session),
    isUsableAfter: error => error instanceof Problem && !LIMIT_PROBLEMS.has(error.code),
  }
}
