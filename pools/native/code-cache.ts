import { chmodSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Where a confined process sees the cache. */
const INSIDE = '/code'
const USER = /-(\d+)$/

/**
 * The compiled code of engines, as Node keeps it. Reading it instead of the source halves the time that a process takes
 * to start. Only a process without any input writes it; confined processes cannot.
 */
export class CodeCache {
  readonly folder: string
  readonly #filled = new Map<string, Promise<void>>()
  #isReadable: boolean

  /** What an earlier process has left there is used from the first start on; Node checks each file against its source. */
  constructor(folder: string) {
    this.folder = join(folder, 'engines')
    this.#isReadable = existsSync(this.folder)
  }

  /** Loads an engine once with `load`, in a process that writes the cache. */
  fill(engine: string, load: (folder: string) => Promise<void>): void {
    if (this.#filled.has(engine)) return
    const filling = load(this.folder).then(() => this.#grantRead())
    this.#filled.set(engine, filling)
    // Without the cache a start takes longer, and nothing else.
    filling.catch(() => undefined)
  }

  /** How the cache is mounted for a user: Node looks for it in a folder of the user's own. */
  mountFor(uid: number): { folder: string; mount: { from: string; at: string } } | undefined {
    const name = this.#isReadable ? this.#findFolder() : undefined
    if (name === undefined) return undefined
    const mount = { from: join(this.folder, name), at: join(INSIDE, name.replace(USER, `-${uid}`)) }
    return { folder: INSIDE, mount }
  }

  #findFolder(): string | undefined {
    const own = `-${process.getuid?.()}`
    return readdirSync(this.folder).find(name => name.startsWith(process.version) && name.endsWith(own))
  }

  #grantRead(): void {
    mkdirSync(this.folder, { recursive: true })
    const name = this.#findFolder()
    if (name === undefined) return
    const folder = join(this.folder, name)
    chmodSync(folder, 0o755)
    for (const file of readdirSync(folder)) chmodSync(join(folder, file), 0o644)
    this.#isReadable = true
  }
}
