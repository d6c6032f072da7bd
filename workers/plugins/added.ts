import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from '../../ops/log.ts'
import { removeOldCode, unpackCode, writeCode } from '../../ops/plugins/code.ts'
import { listAddedOperations, toOperation } from '../../ops/plugins/operations.ts'
import type { PoolOptions } from '../../pools/index.ts'
import type { Db } from '../../sql/db.ts'
import { listPlugins, type PluginRow, readPluginVersion } from '../../sql/plugin/files.ts'
import { type NamedOperation, withSteps } from '../../tasks/index.ts'

type PluginCode = NonNullable<PoolOptions['plugins']>

/** The operations that an operator has added, as the database has them: which are in service, and every version of a job. */
export class AddedOperations {
  rows: readonly PluginRow[] = []
  readonly #db: Db
  readonly #log: Logger
  readonly #root: string
  #current: ReadonlyMap<string, NamedOperation> = new Map()
  readonly #versions = new Map<string, Promise<NamedOperation | undefined>>()
  readonly #writing = new Map<string, Promise<string>>()

  constructor({ db, log, root }: { db: Db; log: Logger; root: string }) {
    this.#db = db
    this.#log = log
    this.#root = root
  }

  get root(): string {
    return this.#root
  }

  /** What runs them needs of this process. */
  get code(): PluginCode {
    return {
      folder: this.#root,
      open: version => this.#openCode(version),
      report: facts => this.#log.error(facts, 'a plugin failed'),
    }
  }

  async refresh(): Promise<void> {
    this.rows = await listPlugins(this.#db)
    this.#current = new Map(listAddedOperations(this.rows).map(operation => [operation.name, operation]))
    const versions = new Set(this.rows.map(({ version }) => version))
    for (const version of this.#versions.keys()) if (!versions.has(version)) this.#versions.delete(version)
    await removeOldCode(this.#root, version => versions.has(version))
  }

  current(name: string): NamedOperation | undefined {
    return this.#current.get(name)
  }

  /** All operations by their names. */
  join(ours: readonly NamedOperation[]): ReadonlyMap<string, NamedOperation> {
    const added = [...this.#current.values()]
    return new Map([...added, ...withSteps(ours, added)].map(operation => [operation.name, operation]))
  }

  /** The version that took a call; undefined if it is forgotten. */
  find(version: string): Promise<NamedOperation | undefined> {
    const loading = this.#versions.get(version) ?? this.#read(version)
    this.#versions.set(version, loading)
    // What has failed is tried again by the next job.
    loading.catch(() => this.#versions.delete(version))
    return loading
  }

  async #read(version: string): Promise<NamedOperation | undefined> {
    const found = await readPluginVersion(this.#db, version)
    return found && toOperation(version, found.declaration)
  }

  /** Calls that come at once write it once. */
  async #openCode(version: string): Promise<string> {
    const folder = join(this.#root, version)
    if (existsSync(folder)) return folder
    const writing = this.#writing.get(version) ?? this.#writeCode(version)
    this.#writing.set(version, writing)
    return writing.finally(() => this.#writing.delete(version))
  }

  async #writeCode(version: string): Promise<string> {
    const found = await readPluginVersion(this.#db, version)
    if (!found) throw new Error(`the plugin version ${version} is forgotten`)
    return writeCode(this.#root, version, await unpackCode(found.code))
  }
}
