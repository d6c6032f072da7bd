import { rmSync, writeFileSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Notes on this machine's disk, each an empty file that names an output which is stored but not recorded yet. If the worker
 * dies in between, they tell the next one which objects belong to nothing.
 */
export class OutputNotes {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  add(key: string): void {
    writeFileSync(this.#pathOf(key), '')
  }

  remove(keys: readonly string[]): void {
    for (const key of keys) rmSync(this.#pathOf(key), { force: true })
  }

  /** The keys that were noted so long ago. */
  async listOlder(ageMs: number): Promise<string[]> {
    const names = await readdir(this.#folder)
    const notes = await Promise.all(
      names.map(async name => ({ name, facts: await stat(join(this.#folder, name)).catch(() => undefined) })),
    )
    const old = notes.filter(({ facts }) => facts !== undefined && Date.now() - facts.mtimeMs > ageMs)
    return old.map(({ name }) => parseNote(name))
  }

  #pathOf(key: string): string {
    return join(this.#folder, key.replaceAll('/', '~'))
  }
}

export function parseNote(name: string): string {
  return name.replaceAll('~', '/')
}
