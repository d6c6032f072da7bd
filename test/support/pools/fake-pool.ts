import { join } from 'node:path'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { Folders } from '../../../pools/folders.ts'
import type { JobContext } from '../../../pools/job-context.ts'
import type { Reuse, WorkerKind, WorkerProcess } from '../../../pools/processes/worker-kind.ts'
import { WorkerPool } from '../../../pools/processes/worker-pool.ts'
import { freshFolder } from '../machine/folder.ts'

/** A process without a program: the test decides how much memory it uses and when it ends. */
export class FakeProcess implements WorkerProcess {
  readonly #end = Promise.withResolvers<string>()
  readonly ended = this.#end.promise
  reuse: Reuse = 'anyone'
  memoryMb = 0
  waitingMs = 0
  runningMs = 0

  end(detail: string): void {
    this.#end.resolve(detail)
  }

  kill(): void {
    this.end('SIGKILL')
  }

  readMemoryBytes(): number {
    return this.memoryMb * 2 ** 20
  }

  readWaitingMs(): number {
    return this.waitingMs
  }

  readRunningMs(): number {
    return this.runningMs
  }

  ref(): void {}
  unref(): void {}
}

let temporary: Awaited<ReturnType<typeof freshFolder>>
let folders: Folders
const opened: WorkerPool<FakeProcess>[] = []
/** Gives the pools of a test file their folders, and closes each after its test. */
export function useFakePools(): void {
  beforeAll(async () => {
    temporary = await freshFolder()
    folders = new Folders(join(temporary.path, 'work'))
    await folders.prepare()
  })
  afterEach(() => {
    for (const pool of opened.splice(0)) pool.close()
  })
  afterAll(() => temporary[Symbol.asyncDispose]())
}

/** A pool of a single process unless `concurrency` is greater, and the processes that it has started. */
export function openPool(options: Partial<WorkerKind<FakeProcess>> = {}, concurrency = 1) {
  const started: FakeProcess[] = []
  const kind: WorkerKind<FakeProcess> = {
    name: 'fake',
    folderPrefix: 'fake',
    callsInFlight: concurrency,
    maxCalls: 100,
    memoryMb: 100,
    recycleMb: 50,
    maxIdleMs: Infinity,
    graceMs: 0,
    startProvenBy: 'opening',
    failedStartFails: 'first-in-queue',
    start() {
      const process = new FakeProcess()
      started.push(process)
      return { process, opened: Promise.resolve(process) }
    },
    isUsableAfter: () => true,
    ...options,
  }
  const pool = new WorkerPool(kind, 0, folders, concurrency)
  opened.push(pool)
  return { pool, started }
}

export function createContext(limitSeconds = 10, signal = new AbortController().signal): JobContext {
  const deadlineMs = performance.now() + limitSeconds * 1000
  return { jobId: 'job', folder: temporary.path, signal, deadlineMs, limitSeconds, out: name => name }
}

/** Work that never ends. */
export const forever = () => new Promise<never>(() => undefined)
