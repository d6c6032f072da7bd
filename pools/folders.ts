import { randomInt } from 'node:crypto'
import { chownSync, mkdirSync } from 'node:fs'
import { chmod, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isRoot } from './sandbox.ts'

/** A range no system gives out by itself; where in it we begin differs from process to process. */
const FIRST_UID = 58_100
const UIDS = 1800
let opened = 0

/** The private folders of jobs: each belongs to a user of its own where we are root, so that no job sees another's. */
export class Folders {
  readonly root: string
  private readonly workRoot: string
  private opened = randomInt(UIDS)

  constructor(workRoot: string) {
    this.workRoot = workRoot
    this.root = join(workRoot, `${process.pid}-${Date.now().toString(36)}-${opened++}`)
  }

  /** Removes what dead processes left. The folders let other users pass, but not look. */
  async prepare(): Promise<void> {
    await mkdir(this.root, { recursive: true })
    await chmod(this.workRoot, 0o711)
    await chmod(this.root, 0o711)
    const leftovers = (await readdir(this.workRoot)).filter(name => !isAlive(Number(name.split('-')[0])))
    await Promise.all(leftovers.map(name => rm(join(this.workRoot, name), { recursive: true, force: true })))
  }

  async clear(): Promise<void> {
    await rm(this.root, { recursive: true, force: true })
  }

  /** Not by way of the thread pool, whose switches cost ten times what the disk's own work on a name does. */
  async open(name: string): Promise<string> {
    const folder = this.pathOf(name)
    if (!isMade(folder)) {
      await rm(folder, { recursive: true, force: true })
      mkdirSync(folder, { mode: 0o700 })
    }
    const uid = FIRST_UID + (this.opened++ % UIDS)
    if (isRoot) chownSync(folder, uid, uid)
    return folder
  }

  async close(name: string): Promise<void> {
    await rm(this.pathOf(name), { recursive: true, force: true })
  }

  private pathOf(name: string): string {
    if (!/^[\w.-]+$/.test(name) || name.startsWith('.')) throw new Error(`not the name of a folder: ${name}`)
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

function isMade(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
