import {
  chmodSync,
  copyFileSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import * as fs from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { newId, Problem } from '#kit'
import type {
  ByteRange,
  Bytes,
  ObjectFacts,
  ObjectStore,
  PresignGetOptions,
  PresignPostOptions,
  PutOptions,
  StoreConfig,
  StoredObject,
} from './contract.ts'
import { SYNC_MAX_BYTES, writeDraft } from './draft.ts'
import { FileStream } from './file-stream.ts'
import { requireKeyPrefix, requireObjectKey } from './key.ts'
import { LocalPresigner, type PresignedAccess } from './local-presigner.ts'

const DEFAULT_TYPE = 'application/octet-stream'
const TYPE_SUFFIX = '.type'
const DRAFTS = '.drafts'

/**
 * Stores objects as files under `DATA_DIR/objects/<first word>/<two letters>/`. An object is one file, named by its key;
 * a content type other than the default is in a file next to it. A file is written as a draft and then renamed, so a
 * reader never sees a partial file. Nothing is flushed: after a power cut, callers send lost scratch objects again.
 * Names are opened, moved and removed synchronously: switching to the thread pool costs ten times the work on the disk. It
 * reads and writes what is large, and removes files, whose blocks may be many.
 */
export class LocalStore implements ObjectStore {
  readonly kind = 'local'
  readonly #root: string
  readonly #presigner: LocalPresigner
  readonly #createdFolders = new Set<string>()

  constructor({ dataDir, publicUrl, secret }: Omit<StoreConfig, 's3'>, now: () => number = Date.now) {
    this.#root = join(dataDir, 'objects')
    this.#presigner = new LocalPresigner(publicUrl, secret, now)
  }

  put(key: string, body: Bytes, options: PutOptions): Promise<StoredObject> {
    return this.#writeObject(key, options, draft => writeDraft(draft, body, options))
  }

  /** The file system shares the blocks if it can, else the system copies them. */
  putFile(key: string, path: string, options: Pick<PutOptions, 'contentType'>): Promise<StoredObject> {
    return this.#writeObject(key, options, async draft => {
      const sizeBytes = statSync(path).size
      const mode = fs.constants.COPYFILE_FICLONE | fs.constants.COPYFILE_EXCL
      if (sizeBytes <= SYNC_MAX_BYTES) copyFileSync(path, draft, mode)
      else await fs.copyFile(path, draft, mode)
      chmodSync(draft, 0o444)
      return { sizeBytes }
    })
  }

  async #writeObject(
    key: string,
    options: PutOptions,
    write: (draft: string) => Promise<StoredObject>,
  ): Promise<StoredObject> {
    const { contentType, isWriteOnce = false } = options
    const target = this.localPath(key)
    const draft = join(await this.#ensureFolder(join(this.#root, DRAFTS)), newId())
    await this.#ensureFolder(join(target, '..'))
    try {
      const stored = await write(draft)
      // A put that is refused must not change the type of what is there.
      if (isWriteOnce) await moveWithoutReplacing(draft, target)
      if (contentType !== DEFAULT_TYPE) writeFileSync(target + TYPE_SUFFIX, contentType)
      if (!isWriteOnce) renameSync(draft, target)
      if (contentType === DEFAULT_TYPE && !isWriteOnce) removeIfThere(target + TYPE_SUFFIX)
      return stored
    } catch (error) {
      await fs.rm(draft, { force: true })
      throw toWriteProblem(error)
    }
  }

  async read(key: string, range?: ByteRange): Promise<Readable> {
    return new FileStream(openToRead(this.localPath(key)), range)
  }

  async stat(key: string): Promise<ObjectFacts | undefined> {
    const path = this.localPath(key)
    const facts = statSync(path, { throwIfNoEntry: false })
    return facts && { sizeBytes: facts.size, contentType: readType(path) }
  }

  async remove(key: string): Promise<void> {
    const path = this.localPath(key)
    await orUndefined(fs.unlink(path))
    removeIfThere(path + TYPE_SUFFIX)
  }

  /** A hard link costs nothing, and the file's read-only mode protects it from accidental writes. */
  async fetchTo(key: string, path: string): Promise<void> {
    const source = this.localPath(key)
    try {
      await fs.link(source, path)
    } catch (error) {
      if (!LINK_UNSUPPORTED_CODES.has(readCode(error))) throw toReadProblem(error)
      await orNotFound(fs.copyFile(source, path, fs.constants.COPYFILE_FICLONE | fs.constants.COPYFILE_EXCL))
    }
  }

  localPath(key: string): string {
    return join(this.#root, ...splitPath(requireObjectKey(key)))
  }

  async presignGet(key: string, options: PresignGetOptions): Promise<string> {
    return this.#presigner.presignGet(requireObjectKey(key), options)
  }

  async presignPost(
    key: string,
    options: PresignPostOptions,
  ): Promise<{ url: string; fields: Record<string, string> }> {
    return this.#presigner.presignPost(requireObjectKey(key), options)
  }

  /** Checks a presigned URL; throws FORBIDDEN if it is forged, altered or expired. */
  verifyGet(key: string, query: Record<string, unknown>): PresignedAccess {
    return this.#presigner.verifyGet(key, query)
  }

  verifyPost(fields: Record<string, unknown>): PresignedAccess & { key: string; maxBytes: number } {
    return this.#presigner.verifyPost(fields)
  }

  async *list(prefix: string): AsyncIterable<{ key: string; modifiedAt: Date }> {
    const [word, ...more] = requireKeyPrefix(prefix).split('/') as [string, ...string[]]
    for (const first of await listNames(this.#root)) {
      if (first.startsWith('.') || (more.length > 0 ? first !== word : !first.startsWith(word))) continue
      yield* this.#listUnder(first, prefix)
    }
  }

  async removeDrafts(minAgeMs: number): Promise<number> {
    const folder = join(this.#root, DRAFTS)
    let removed = 0
    for (const name of await listNames(folder)) {
      const facts = await orUndefined(fs.stat(join(folder, name)))
      if (!facts || Date.now() - facts.mtimeMs < minAgeMs) continue
      await fs.rm(join(folder, name), { force: true })
      removed += 1
    }
    return removed
  }

  async check(): Promise<void> {
    const folder = await this.#ensureFolder(this.#root)
    await fs.access(folder, fs.constants.R_OK | fs.constants.W_OK)
  }

  async *#listUnder(first: string, prefix: string): AsyncIterable<{ key: string; modifiedAt: Date }> {
    for (const subfolder of await listNames(join(this.#root, first))) {
      for (const name of await listNames(join(this.#root, first, subfolder))) {
        const key = `${first}/${name.replaceAll('~', '/')}`
        if (name.endsWith(TYPE_SUFFIX) || !key.startsWith(prefix)) continue
        const facts = await orUndefined(fs.stat(join(this.#root, first, subfolder, name)))
        if (facts) yield { key, modifiedAt: facts.mtime }
      }
    }
  }

  async #ensureFolder(path: string): Promise<string> {
    if (this.#createdFolders.has(path)) return path
    try {
      await fs.mkdir(path, { recursive: true, mode: 0o700 })
    } catch (error) {
      throw toWriteProblem(error)
    }
    this.#createdFolders.add(path)
    return path
  }
}

const LINK_UNSUPPORTED_CODES = new Set(['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP'])

/** The last letters of an id are the most random ones, so they spread the files evenly over folders. */
function splitPath(key: string): [string, string, string] {
  const cut = key.indexOf('/')
  const name = key.slice(cut + 1).replaceAll('/', '~')
  return [key.slice(0, cut), name.slice(-2).padStart(2, '0'), name]
}

/** Unlike a rename, a link fails if the target exists. */
async function moveWithoutReplacing(draft: string, target: string): Promise<void> {
  await fs.link(draft, target)
  await fs.unlink(draft)
}

function removeIfThere(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if (readCode(error) !== 'ENOENT') throw error
  }
}

function openToRead(path: string): number {
  try {
    return openSync(path, 'r')
  } catch (error) {
    throw toReadProblem(error)
  }
}

function readType(path: string): string {
  try {
    return readFileSync(path + TYPE_SUFFIX, 'utf8')
  } catch (error) {
    if (readCode(error) !== 'ENOENT') throw error
    return DEFAULT_TYPE
  }
}

const DISK_FULL_CODES = new Set(['ENOSPC', 'EDQUOT'])

function toWriteProblem(error: unknown): unknown {
  if (DISK_FULL_CODES.has(readCode(error))) return new Problem('STORAGE_FULL')
  if (readCode(error) === 'EEXIST')
    return new Problem('FORBIDDEN', { reason: 'An object with this key exists already.' })
  return error
}

async function orNotFound<T>(promise: Promise<T>): Promise<T> {
  try {
    return await promise
  } catch (error) {
    throw toReadProblem(error)
  }
}

function toReadProblem(error: unknown): unknown {
  if (DISK_FULL_CODES.has(readCode(error))) return new Problem('STORAGE_FULL')
  return readCode(error) === 'ENOENT' ? new Problem('NOT_FOUND') : error
}

async function orUndefined<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise
  } catch (error) {
    if (readCode(error) === 'ENOENT') return undefined
    throw error
  }
}

async function listNames(folder: string): Promise<string[]> {
  return (await orUndefined(fs.readdir(folder))) ?? []
}

function readCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
