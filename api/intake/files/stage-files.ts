import { createHash } from 'node:crypto'
import type { TSchema } from 'typebox'
import {
  type Facts,
  FILE_RULE,
  type FileRule,
  findMarkedValues,
  INLINE_FILE_BYTES,
  INPUT_FILE,
  type InputFile,
  type MarkedValue,
  replaceAt,
  type Slot,
  type StagedFile,
  slotOf,
  UNFETCHED_TYPE,
} from '#kit'
import type { ObjectStore } from '../../../ops/providers/storage/contract.ts'
import type { InputProof } from '../../../sql/call.ts'
import { requireAcceptedType } from '../../../tasks/formats/file-types/accept.ts'
import { recogniseTextTypes, recogniseTypes } from '../../../tasks/formats/file-types/recognise.ts'
import type { ApiContext } from '../../context.ts'
import { HASHED_BYTES } from '../body/json.ts'
import { NO_ACCOUNT } from '../identity/anonymous.ts'
import type { SourceCall, SourceKind } from '../parts.ts'
import type { FileLimits } from './limits.ts'
import { isPriceToken } from './price-token.ts'
import { readTogether } from './read-together.ts'
import { type FoundSource, findSource } from './source.ts'
import { stageKey } from './stage-key.ts'

/** The checked files of one call. Nothing is stored before `settle`. */
export interface StagedFiles {
  /** The input with a `StagedFile` in place of every source. */
  readonly input: unknown
  readonly files: readonly StagedFile[]
  readonly totalBytes: number
  /** True if every byte is in memory, as a run in this process requires. */
  readonly isInMemory: boolean
  /** The input as the queue takes it: with small files inline, and large ones in the store. They are stored once. */
  settle(): Promise<unknown>
  /** Removes what this call put into the store. */
  discard(): Promise<void>
  /** The files as a receipt names them: with the hash if it is known or soon computed. */
  prove(): InputProof[]
}

type Path = MarkedValue['path']

/** Bytes of staged files in this process; they are not part of the job's payload. */
const keptBytes = new WeakMap<StagedFile, Buffer>()

const NONE: readonly StagedFile[] = []

/** Resolves and checks every file of a call; the first bad one is thrown as a problem. */
export async function stageFiles(schema: TSchema, body: unknown, limits: FileLimits): Promise<StagedFiles> {
  const places = findMarkedValues(FILE_RULE, schema, body)
  if (places.length === 0) return new StagedCallFiles(body, NONE, [], limits)
  const sought = await Promise.allSettled(places.map(place => findSource(place.value, slotOf<FileRule>(place), limits)))
  let input = body
  const files: StagedFile[] = []
  for (const [index, place] of places.entries()) {
    const found = sought[index]!
    if (found.status === 'rejected') throw found.reason
    const file = await recogniseType(found.value, slotOf<FileRule>(place))
    files.push(file)
    input = replaceAt(input, place.path, file)
  }
  return new StagedCallFiles(
    input,
    files,
    places.map(({ path }) => path),
    limits,
  )
}

async function recogniseType(found: FoundSource, slot: Slot<FileRule>): Promise<StagedFile> {
  const { bytes, key, url, sizeBytes, name, sha256, options, drawn } = found
  const given = { ...(name && { name }), ...(options && { options }) }
  if (url !== undefined) return { url, type: UNFETCHED_TYPE, sizeBytes, ...given }
  const type = found.type ?? requireAcceptedType(await typesOf(found), sizeBytes, slot)
  const file: StagedFile = {
    ...{ type, sizeBytes, ...(key && { key }), ...given },
    ...{ ...(sha256 && { sha256 }), ...(drawn && { drawn }) },
  }
  if (bytes) keptBytes.set(file, bytes)
  return file
}

async function typesOf({ isText, head, sizeBytes }: FoundSource): Promise<string[]> {
  return isText ? recogniseTextTypes(head) : recogniseTypes(head, head.length === sizeBytes)
}

class StagedCallFiles implements StagedFiles {
  readonly input: unknown
  readonly files: readonly StagedFile[]
  readonly totalBytes: number
  readonly isInMemory: boolean
  readonly #paths: readonly Path[]
  readonly #store: ObjectStore
  readonly #callId: string
  readonly #storedKeys: string[] = []
  #settled: Promise<unknown> | undefined

  constructor(input: unknown, files: readonly StagedFile[], paths: readonly Path[], { store, callId }: FileLimits) {
    this.input = input
    this.files = files
    this.#paths = paths
    this.totalBytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
    this.isInMemory = files.every(file => keptBytes.has(file))
    this.#store = store
    this.#callId = callId
  }

  prove(): InputProof[] {
    return this.files.map((file, index) => {
      const { sizeBytes: size, sha256 = hashSmall(keptBytes.get(file)) } = file
      return { field: this.#paths[index]!.join('.'), size, sha256 }
    })
  }

  settle(): Promise<unknown> {
    this.#settled ??= this.#settleAll()
    return this.#settled
  }

  async discard(): Promise<void> {
    const uploaded = this.files.flatMap(({ key }) => (key?.startsWith('stage/') ? [key] : []))
    await Promise.all([...uploaded, ...this.#storedKeys].map(key => this.#store.remove(key)))
  }

  async #settleAll(): Promise<unknown> {
    let input = this.input
    try {
      for (const [index, file] of this.files.entries()) {
        const settled = await this.#settleOne(file)
        if (settled !== file) input = replaceAt(input, this.#paths[index]!, settled)
      }
    } catch (error) {
      await this.discard()
      throw error
    }
    return input
  }

  async #settleOne(file: StagedFile): Promise<StagedFile> {
    const bytes = keptBytes.get(file)
    if (file.key || file.inline !== undefined || !bytes) return file
    if (bytes.length <= INLINE_FILE_BYTES) return { ...file, inline: bytes.toString('base64') }
    const key = stageKey(this.#callId)
    await this.#store.put(key, bytes, { contentType: 'application/octet-stream' })
    this.#storedKeys.push(key)
    return { ...file, key }
  }
}

function hashSmall(bytes: Buffer | undefined): string | null {
  return bytes && bytes.length <= HASHED_BYTES ? createHash('sha256').update(bytes).digest('hex') : null
}

/**
 * The input as operations and prices read it, with an `InputFile` in place of every staged file. Its bytes can
 * be read if they are in memory; `facts` are taken on trust, because nothing here probes files. There is never a path, because nothing in this process works on files.
 */
export function makeInputReady(schema: TSchema, input: unknown, facts: Facts = {}): unknown {
  return findMarkedValues(FILE_RULE, schema, input).reduce(
    (ready, { path, value }) => replaceAt(ready, path, new FileInMemory(value as StagedFile, facts)),
    input,
  )
}

/** The bytes of a file that is in memory. */
export function readKeptBytes(file: StagedFile): Buffer | undefined {
  return keptBytes.get(file) ?? (file.inline === undefined ? undefined : fromBase64(file.inline))
}

class FileInMemory implements InputFile {
  readonly [INPUT_FILE] = true
  readonly type: string
  readonly sizeBytes: number
  readonly name: string | undefined
  readonly facts: Facts
  readonly #file: StagedFile

  constructor(file: StagedFile, facts: Facts) {
    this.facts = facts
    this.#file = file
    this.type = file.type
    this.sizeBytes = file.sizeBytes
    this.name = file.name
  }

  get path(): string {
    throw new Error('there is no path on the instant lane: the operation must read bytes() or chunks()')
  }

  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    const held = readKeptBytes(this.#file)
    if (!held) throw new Error('these bytes are in the object store, not in memory')
    return held as Buffer<ArrayBuffer>
  }

  async *chunks(): AsyncIterable<Uint8Array> {
    yield await this.bytes()
  }
}

function fromBase64(text: string): Buffer {
  return Buffer.from(text, 'base64')
}

interface FilesCall extends SourceCall {
  readonly id: string
  readonly uploads: FileLimits['uploads']
}

/** Finds and checks the files of a call. */
export function stageFilesOf(
  context: ApiContext,
  call: FilesCall,
  schema: TSchema,
  input: unknown,
): Promise<StagedFiles> {
  return stageFiles(schema, input, limitFiles(context, call))
}

/** What the files of a call may be: what its caller owns or may read, and no more than settings allow. */
function limitFiles(context: ApiContext, call: FilesCall): FileLimits {
  const { calls, db, settings, store, config } = context
  const { id, caller, uploads } = call
  let reader: ReturnType<typeof readTogether> | undefined
  return {
    callId: id,
    store,
    accountId: caller?.accountId ?? NO_ACCOUNT,
    uploads,
    // Made when a file is first named: most calls have none.
    readObject: (ownerId, key) => {
      reader ??= readTogether(db)
      return reader(ownerId, key)
    },
    kinds: calls.sources,
    findKept: (field, source) => findKind(context, field).find(context, call, source),
    mayPrice: (key, token) => !caller && isPriceToken(config.secret, key, token),
    canFetch: config.outbound === 'public',
    maxInlineBytes: settings.get('cputools.io.max_inline_bytes'),
    maxBytes: settings.get('cputools.io.max_storage_ref_bytes'),
  }
}

function findKind({ calls }: ApiContext, field: string): SourceKind {
  return calls.sources.find(kind => kind.field === field)!
}
