import { listEntries, type PluginEntry } from '../../ops/plugins/folder.ts'
import { explainTakenName } from '../../ops/plugins/operations.ts'
import { removePlugin } from '../../sql/plugin/files.ts'
import type { WorkerContext } from '../context.ts'
import { takePlugin } from './take.ts'

const LOOK_MS = 500

/**
 * Looks into the folder of plugins while the worker lives. What has not changed between two looks is taken, so that a file
 * which is being written is not; what is missing in two is gone. Of several workers with one folder, each does the same, which
 * changes nothing twice.
 */
export function watchPlugins(context: WorkerContext): { stop(): void } {
  const { pluginsDir: folder, lanes } = context.config
  if (folder === undefined || !lanes.includes('native')) return { stop: () => undefined }
  const watch = new PluginWatch(context, folder)
  void watch.run()
  return watch
}

class PluginWatch {
  readonly #context: WorkerContext
  readonly #folder: string
  /** Of the last look. */
  #seen = new Map<string, string>()
  readonly #taken = new Map<string, string>()
  readonly #missing = new Set<string>()
  readonly #end = new AbortController()
  #failure = ''

  constructor(context: WorkerContext, folder: string) {
    this.#context = context
    this.#folder = folder
  }

  stop(): void {
    this.#end.abort()
  }

  async run(): Promise<void> {
    await this.#try(() => this.#refuseTakenNames())
    while (!this.#end.signal.aborted) {
      await this.#try(() => this.#look())
      await new Promise(resolve => setTimeout(resolve, LOOK_MS).unref())
    }
  }

  /** A folder or a database that is away changes nothing; that is said once. */
  async #try(work: () => Promise<void>): Promise<void> {
    try {
      await work()
      this.#failure = ''
    } catch (error) {
      const { message } = error as Error
      if (message !== this.#failure && !this.#end.signal.aborted)
        this.#context.log.warn({ err: error, folder: this.#folder }, 'the folder of plugins is not read')
      this.#failure = message
    }
  }

  /** What a release of ours has the name of is out of service from its first start. */
  async #refuseTakenNames(): Promise<void> {
    for (const { file, name } of this.#context.added.rows) {
      const fault = name === null ? undefined : explainTakenName(name)
      if (fault !== undefined) await removePlugin(this.#context.db, file, fault)
    }
  }

  async #look(): Promise<void> {
    const entries = await listEntries(this.#folder)
    await this.#removeMissing(new Set(entries.map(({ file }) => file)))
    const seen = this.#seen
    this.#seen = new Map(entries.map(({ file, signature }) => [file, signature]))
    const failures: unknown[] = []
    for (const { file, signature } of entries) {
      const isStable = seen.get(file) === signature
      if (isStable && this.#taken.get(file) !== signature && !this.#end.signal.aborted)
        await this.#take({ file, signature }).catch(error => failures.push(error))
    }
    // One that cannot be taken is tried again by the next look, and keeps no other from being taken.
    if (failures.length > 0) throw failures[0]
  }

  async #take({ file, signature }: PluginEntry): Promise<void> {
    await takePlugin(this.#context, { folder: this.#folder, file, signal: this.#end.signal })
    this.#taken.set(file, signature)
  }

  async #removeMissing(present: ReadonlySet<string>): Promise<void> {
    const { db, added, log } = this.#context
    for (const { file, name } of added.rows) {
      if (present.has(file)) this.#missing.delete(file)
      else if (!this.#missing.has(file)) this.#missing.add(file)
      else if (await removePlugin(db, file)) log.info({ file, name }, 'plugin removed')
    }
    for (const file of this.#taken.keys()) if (!present.has(file)) this.#taken.delete(file)
  }
}
