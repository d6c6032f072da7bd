import { randomInt } from 'node:crypto'
import { chownSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmdirSync, unlinkSync } from 'node:fs'
import { chmod, mkdir, readdir, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { isRoot } from './programs/sandbox.ts'

/** A range that no system assigns by itself. Each process starts at a random place in it. */
const FIRST_UID = 58_100
const UID_COUNT = 1800
/** A name that no job's folder has. */
const NOTES = '.notes'
const TOUCH_MS = 10_000
/** The process of a folder that was not touched for this long is dead, unless it is seen running. */
const DEAD_AFTER_MS = 60_000
let instances = 0

/** The private folders of jobs. If we are root, each belongs to a different user, so that no job can read another's. */
export class Folders {
  readonly root: string
  /** For notes that shall outlive this process: whoever removes its folders reads them first. */
  readonly notes: string
  readonly #workRoot: string
  /** Folders of dead processes without their jobs, and when they were last changed. */
  readonly #cleared = new Map<string, number>()
  #touching: NodeJS.Timeout | undefined
  #nextUid = randomInt(UID_COUNT)

  constructor(workRoot: string) {
    this.#workRoot = workRoot
    this.root = join(workRoot, `${process.pid}-${readStartTime(process.pid) ?? 0}-${instances++}`)
    this.notes = join(this.root, NOTES)
  }

  /** Other users may pass through the root folders, but not list them. */
  async prepare(): Promise<void> {
    await this.#create()
    // A process that was paused for long finds its folder removed.
    const touch = () => utimes(this.root, new Date(), new Date()).catch(() => this.#create())
    this.#touching = setInterval(() => void touch().catch(() => undefined), TOUCH_MS).unref()
  }

  async #create(): Promise<void> {
    await mkdir(this.notes, { recursive: true })
    await chmod(this.#workRoot, 0o711)
    await chmod(this.root, 0o711)
    await chmod(this.notes, 0o700)
  }

  async clear(): Promise<void> {
    clearInterval(this.#touching)
    await rm(this.root, { recursive: true, force: true })
  }

  /**
   * Removes the folders of dead processes. The names of their notes are given to `onNotes` first, but only the next time
   * this is called: until then a statement that the process has sent to the database may still be running.
   */
  async removeDead(onNotes: (names: string[]) => Promise<void>): Promise<void> {
    for (const name of await readdir(this.#workRoot)) {
      const folder = join(this.#workRoot, name)
      const changedAt = await readChangeTime(folder)
      if (folder === this.root || isRunning(name)) continue
      if (this.#cleared.get(name) === changedAt) {
        await onNotes(await listNames(join(folder, NOTES)))
        await rm(folder, { recursive: true, force: true })
        this.#cleared.delete(name)
      } else if (Date.now() - changedAt > DEAD_AFTER_MS) {
        const jobs = (await listNames(folder)).filter(entry => entry !== NOTES)
        for (const entry of jobs) await rm(join(folder, entry), { recursive: true, force: true })
        this.#cleared.set(name, await readChangeTime(folder))
      }
    }
  }

  /** Creates an empty folder, synchronously: switching to the thread pool costs ten times the work on the disk. */
  async open(name: string): Promise<string> {
    const folder = this.pathOf(name)
    if (!tryCreate(folder)) {
      await rm(folder, { recursive: true, force: true })
      mkdirSync(folder, { mode: 0o700 })
    }
    const uid = FIRST_UID + (this.#nextUid++ % UID_COUNT)
    if (isRoot) chownSync(folder, uid, uid)
    return folder
  }

  async close(name: string): Promise<void> {
    const folder = this.pathOf(name)
    if (!tryRemoveSmall(folder)) await rm(folder, { recursive: true, force: true })
  }

  pathOf(name: string): string {
    if (!/^[\w.-]+$/.test(name) || name.startsWith('.')) throw new Error(`not a valid folder name: ${name}`)
    return join(this.root, name)
  }
}

/** A process of another container cannot be seen, but it touches its folder; a paused one does not, but can be seen. */
function isRunning(name: string): boolean {
  const [pid, startTime] = name.split('-')
  return startTime !== undefined && readStartTime(Number(pid)) === startTime
}

async function readChangeTime(folder: string): Promise<number> {
  const facts = await stat(folder).catch(() => undefined)
  return facts?.mtimeMs ?? 0
}

/** When a process was started, which tells it from a later one with the same id. */
function readStartTime(pid: number): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}

async function listNames(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => [])
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

const FEW_FILES = 16
const SMALL_BYTES = 2 ** 20

/** Removes a folder of a few small files, as most jobs leave it, synchronously; leaves any other as it is. */
function tryRemoveSmall(folder: string): boolean {
  try {
    const paths = readdirSync(folder).map(name => join(folder, name))
    if (paths.length > FEW_FILES || !paths.every(isSmallFile)) return false
    for (const path of paths) unlinkSync(path)
    rmdirSync(folder)
    return true
  } catch {
    return false
  }
}

function isSmallFile(path: string): boolean {
  const facts = lstatSync(path)
  return !facts.isDirectory() && facts.size <= SMALL_BYTES
}
