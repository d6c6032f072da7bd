import { chmodSync, copyFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import * as fs from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { newId, Problem } from '#kit'
import type {
  ByteRange,
  Bytes,
  GetTicket,
  ObjectFacts,
  ObjectStore,
  PostTicket,
  PutOptions,
  StoreConfig,
  Stored,
} from './index.ts'
import { checkKey, checkPrefix } from './key.ts'
import { type Admission, LocalTickets } from './local-tickets.ts'
import { metered } from './metered.ts'

const PLAIN_TYPE = 'application/octet-stream'
const TYPE_SUFFIX = '.type'
const WRITE_BYTES = 512 * 1024
/** Less than this is copied by the time the thread pool would have begun. */
const AT_ONCE_BYTES = 256 * 1024

/**
 * Objects as files under `DATA_DIR/objects/<first word>/<two letters>/`. An object is one file, named by its key; its
 * content type stands in a side file where it is not the plainest. A file is written aside and moved into place, so a
 * reader never sees half of one. Nothing is flushed: what scratch loses to a power cut, its caller sends again.
 */
export class LocalStore implements ObjectStore {
  readonly kind = 'local'
  readonly #root: string
  readonly #tickets: LocalTickets
  readonly #folders = new Set<string>()

  constructor({ dataDir, publicUrl, secret }: Omit<StoreConfig, 's3'>, now: () => number = Date.now) {
    this.#root = join(dataDir, 'objects')
    this.#tickets = new LocalTickets(publicUrl, secret, now)
  }

  put(key: string, body: Bytes, options: PutOptions): Promise<Stored> {
    return this.#place(key, options, draft => writeDraft(draft, body, metered(options)))
  }

  /** The system copies, or shares the blocks where the file system can. */
  putFile(key: string, path: string, options: Pick<PutOptions, 'contentType'>): Promise<Stored> {
    return this.#place(key, options, async draft => {
      const sizeBytes = statSync(path).size
      const mode = fs.constants.COPYFILE_FICLONE | fs.constants.COPYFILE_EXCL
      if (sizeBytes <= AT_ONCE_BYTES) copyFileSync(path, draft, mode)
      else await fs.copyFile(path, draft, mode)
      chmodSync(draft, 0o444)
      return { sizeBytes }
    })
  }

  async #place(key: string, options: PutOptions, write: (draft: string) => Promise<Stored>): Promise<Stored> {
    const { contentType, once = false } = options
    const target = this.localPath(key)
    const draft = join(await this.#folder(join(this.#root, '.drafts')), newId())
    await this.#folder(join(target, '..'))
    try {
      const stored = await write(draft)
      if (contentType !== PLAIN_TYPE) writeFileSync(target + TYPE_SUFFIX, contentType)
      if (once) await moveOnce(draft, target)
      else renameSync(draft, target)
      if (contentType === PLAIN_TYPE && !once) await absentAsUndefined(fs.unlink(target + TYPE_SUFFIX))
      return stored
    } catch (error) {
      await fs.rm(draft, { force: true })
      throw storageProblem(error)
    }
  }

  async read(key: string, range?: ByteRange): Promise<Readable> {
    const handle = await found(fs.open(this.localPath(key)))
    return handle.createReadStream({ ...range, highWaterMark: WRITE_BYTES })
  }

  async stat(key: string): Promise<ObjectFacts | undefined> {
    const path = this.localPath(key)
    const facts = await absentAsUndefined(fs.stat(path))
    if (!facts) return undefined
    const type = await absentAsUndefined(fs.readFile(path + TYPE_SUFFIX, 'utf8'))
    return { sizeBytes: facts.size, contentType: type ?? PLAIN_TYPE }
  }

  async remove(key: string): Promise<void> {
    const path = this.localPath(key)
    await absentAsUndefined(fs.unlink(path))
    await absentAsUndefined(fs.unlink(path + TYPE_SUFFIX))
  }

  /** A hard link costs nothing; the file's mode keeps an honest tool from writing through it. */
  async fetchTo(key: string, path: string): Promise<void> {
    const source = this.localPath(key)
    try {
      await fs.link(source, path)
    } catch (error) {
      if (!LINK_IMPOSSIBLE.has(codeOf(error))) throw absentAsProblem(error)
      await found(fs.copyFile(source, path, fs.constants.COPYFILE_FICLONE | fs.constants.COPYFILE_EXCL))
    }
  }

  localPath(key: string): string {
    return join(this.#root, ...placeOf(checkKey(key)))
  }

  async presignGet(key: string, ticket: GetTicket): Promise<string> {
    return this.#tickets.get(checkKey(key), ticket)
  }

  async presignPost(key: string, ticket: PostTicket): Promise<{ url: string; fields: Record<string, string> }> {
    return this.#tickets.post(checkKey(key), ticket)
  }

  /** What a presigned address allows; throws FORBIDDEN where it is forged, altered or over. */
  admitGet(key: string, query: Record<string, unknown>): Admission {
    return this.#tickets.admitGet(key, query)
  }

  admitPost(fields: Record<string, unknown>): Admission & { key: string; maxBytes: number } {
    return this.#tickets.admitPost(fields)
  }

  async *list(prefix: string): AsyncIterable<{ key: string; modifiedAt: Date }> {
    const [word, ...more] = checkPrefix(prefix).split('/') as [string, ...string[]]
    for (const first of await namesIn(this.#root)) {
      if (first.startsWith('.') || (more.length > 0 ? first !== word : !first.startsWith(word))) continue
      yield* this.#listUnder(first, prefix)
    }
  }

  async check(): Promise<void> {
    const folder = await this.#folder(this.#root)
    await fs.access(folder, fs.constants.R_OK | fs.constants.W_OK)
  }

  async *#listUnder(first: string, prefix: string): AsyncIterable<{ key: string; modifiedAt: Date }> {
    for (const fan of await namesIn(join(this.#root, first))) {
      for (const name of await namesIn(join(this.#root, first, fan))) {
        const key = `${first}/${name.replaceAll('~', '/')}`
        if (name.endsWith(TYPE_SUFFIX) || !key.startsWith(prefix)) continue
        const facts = await absentAsUndefined(fs.stat(join(this.#root, first, fan, name)))
        if (facts) yield { key, modifiedAt: facts.mtime }
      }
    }
  }

  async #folder(path: string): Promise<string> {
    if (this.#folders.has(path)) return path
    try {
      await fs.mkdir(path, { recursive: true, mode: 0o700 })
    } catch (error) {
      throw storageProblem(error)
    }
    this.#folders.add(path)
    return path
  }
}

const LINK_IMPOSSIBLE = new Set(['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP'])

/** The last letters of an id are its most random ones, so they spread the files evenly. */
function placeOf(key: string): [string, string, string] {
  const cut = key.indexOf('/')
  const name = key.slice(cut + 1).replaceAll('/', '~')
  return [key.slice(0, cut), name.slice(-2).padStart(2, '0'), name]
}

/** Unlike a rename, a link refuses to replace what is there. */
async function moveOnce(draft: string, target: string): Promise<void> {
  await fs.link(draft, target)
  await fs.unlink(draft)
}

async function writeDraft(path: string, body: Bytes, meter: ReturnType<typeof metered>): Promise<Stored> {
  const file = await fs.open(path, 'wx', 0o444)
  try {
    if (body instanceof Uint8Array) {
      meter.take(body)
      await writeAll(file, [body])
    } else {
      let waiting: Uint8Array[] = []
      let waitingBytes = 0
      for await (const chunk of body) {
        meter.take(chunk)
        waiting.push(chunk)
        waitingBytes += chunk.length
        if (waitingBytes < WRITE_BYTES) continue
        await writeAll(file, waiting)
        waiting = []
        waitingBytes = 0
      }
      await writeAll(file, waiting)
    }
  } finally {
    await file.close()
  }
  return meter.stored()
}

/** `writev` may write less than it was given, as it does when the disk fills up. */
async function writeAll(file: fs.FileHandle, chunks: Uint8Array[]): Promise<void> {
  const total = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  if (total === 0) return
  const { bytesWritten } = await file.writev(chunks)
  if (bytesWritten === total) return
  const rest = Buffer.concat(chunks).subarray(bytesWritten)
  await file.writeFile(rest)
}

const FULL = new Set(['ENOSPC', 'EDQUOT'])

function storageProblem(error: unknown): unknown {
  if (FULL.has(codeOf(error))) return new Problem('STORAGE_FULL')
  if (codeOf(error) === 'EEXIST')
    return new Problem('FORBIDDEN', { reason: 'There is an object under this key already.' })
  return error
}

async function found<T>(promise: Promise<T>): Promise<T> {
  try {
    return await promise
  } catch (error) {
    throw absentAsProblem(error)
  }
}

function absentAsProblem(error: unknown): unknown {
  if (FULL.has(codeOf(error))) return new Problem('STORAGE_FULL')
  return codeOf(error) === 'ENOENT' ? new Problem('NOT_FOUND') : error
}

async function absentAsUndefined<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

async function namesIn(folder: string): Promise<string[]> {
  return (await absentAsUndefined(fs.readdir(folder))) ?? []
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
