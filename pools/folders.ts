import { randomInt } from 'node:crypto'
import { chownSync, mkdirSync } from 'node:fs'
import { chmod, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isRoot } from './programs/sandbox.ts'

/** A range that no system assigns by itself. Each process starts at a random place in it. */
const FIRST_UID = 58_100
const UID_COUNT = 1800
let instances = 0

/** The private folders of jobs. If we are root, each belongs to a different user, so that no job can read another's. */
export class Folders {
  readonly root: string
  readonly #workRoot: string
  #nextUid = randomInt(UID_COUNT)

  constructor(workRoot: string) {
    this.#workRoot = workRoot
    this.root = join(workRoot, `${process.pid}-${Date.now().toString(36)}-${instances++}`)
  }

  /** Removes the folders of dead processes. Other users may pass through the root folders, but not list them. */
  async prepare(): Promise<void> {
    await mkdir(this.root, { recursive: true })
    await chmod(this.#workRoot, 0o711)
    await chmod(this.root, 0o711)
    const leftovers = (await readdir(this.#workRoot)).filter(name => !isAlive(Number(name.split('-')[0])))
    await Promise.all(leftovers.map(name => rm(join(this.#workRoot, name), { recursive: true, force: true })))
  }

  async clear(): Promise<void> {
    await rm(this.root, { recursive: true, force: true })
  }

  /** Creates an empty folder, synchronously: switching to the thread pool costs ten times the work on the disk. */
  async open(name: string): Promise<string> {
    const folder = this.#pathOf(name)
    if (!tryCreate(folder)) {
      await rm(folder, { recursive: true, force: true })
      mkdirSync(folder, { mode: 0o700 })
    }
    const uid = FIRST_UID + (this.#nextUid++ % UID_COUNT)
    if (isRoot) chownSync(folder, uid, uid)
    return folder
  }

  async close(name: string): Promise<void> {
    await rm(this.#pathOf(name), { recursive: true, force: true })
  }

  #pathOf(name: string): string {
    if (!/^[\w.-]+$/.test(name) || name.startsWith('.')) throw new Error(`not a valid folder name: ${name}`)
    return join(this.root, name)
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function tryCreate(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
