import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { access, constants, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { Problem } from '#kit'
import { createFolder } from '../../data-folder.ts'
import { type BackupPlace, BackupPlaceError } from './contract.ts'

const DRAFTS = '.drafts'

/**
 * Keeps backups in a folder. A file is written as a draft, flushed, and renamed; then its folder is flushed, so that neither a
 * killed process nor a power cut leaves half of it under its name.
 */
export class Folder implements BackupPlace {
  readonly address: string

  constructor(path: string) {
    this.address = path
  }

  async put(name: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const target = join(this.address, name)
    const draft = join(this.address, DRAFTS, randomBytes(12).toString('hex'))
    try {
      createFolder(join(this.address, DRAFTS))
      await mkdir(dirname(target), { recursive: true, mode: 0o700 })
      const file = await open(draft, 'wx', 0o600)
      try {
        for await (const chunk of bytes) await file.writeFile(chunk)
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(draft, target)
      await syncFolder(dirname(target))
    } catch (error) {
      await rm(draft, { force: true }).catch(() => undefined)
      throw this.#explain(error)
    }
  }

  /** Errors of the file system are about the folder; those of the bytes are not. */
  #explain(error: unknown): unknown {
    const { syscall, message } = error as NodeJS.ErrnoException
    return syscall ? new BackupPlaceError(`${this.address} cannot be used for backups: ${message}.`) : error
  }

  async read(name: string): Promise<Readable> {
    const path = join(this.address, name)
    if ((await this.sizeOf(name)) === undefined) throw new Problem('NOT_FOUND')
    return createReadStream(path, { highWaterMark: 256 * 1024 })
  }

  async sizeOf(name: string): Promise<number | undefined> {
    return (await orUndefined(stat(join(this.address, name))))?.size
  }

  async *list(prefix: 'backups/' | 'parts/'): AsyncIterable<string> {
    const root = join(this.address, prefix)
    const reading = orUndefined(readdir(root, { recursive: true, withFileTypes: true }))
    const found = await reading.catch((error: unknown) => Promise.reject(this.#explain(error)))
    for (const entry of found ?? [])
      if (entry.isFile()) yield join(entry.parentPath, entry.name).slice(this.address.length + 1)
  }

  async prepare(): Promise<void> {
    try {
      createFolder(join(this.address, DRAFTS))
      await access(join(this.address, DRAFTS), constants.W_OK)
    } catch (error) {
      throw this.#explain(error)
    }
  }

  async remove(name: string): Promise<void> {
    await rm(join(this.address, name), { force: true })
  }

  async removeDrafts(): Promise<void> {
    await rm(join(this.address, DRAFTS), { recursive: true, force: true })
  }
}

/** Makes sure that the names in a folder survive a power cut. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

async function orUndefined<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return undefined
  }
}
