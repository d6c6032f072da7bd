import type { TSchema } from 'typebox'
import {
  FILE_RULE,
  type FileRule,
  INLINE_FILE_BYTES,
  markedPlaces,
  newId,
  Problem,
  type Slot,
  type StagedFile,
  slotOf,
  withReplaced,
} from '#kit'
import type { ObjectStore } from '../../ops/storage/index.ts'
import type { ObjectRecord } from '../../sql/object.ts'
import { heldBytes, holdBytes } from './held-bytes.ts'
import { acceptedType, sniff, sniffText } from './sniff.ts'
import { type Found, findSource } from './source.ts'
import type { Upload } from './upload.ts'

export interface FileRoom {
  store: ObjectStore
  accountId: string
  uploads: ReadonlyMap<string, Upload>
  /** The record of one of the caller's own objects. */
  readObject(key: string): Promise<Pick<ObjectRecord, 'isExpired' | 'name'> | undefined>
  /** `cputools.io.max_inline_bytes`. */
  maxInlineBytes: number
  /** `cputools.io.max_storage_ref_bytes`. */
  maxBytes: number
}

/** The files of one call, checked. Nothing of it is stored before `settle`. */
export interface StagedFiles {
  /** The input with a `StagedFile` in the place of every source. */
  input: unknown
  files: readonly StagedFile[]
  totalBytes: number
  /** True when every byte is in memory, as a run in this process needs it. */
  isInMemory: boolean
  /** Makes every file fit for the queue: the few bytes inline, the many in the store. */
  settle(): Promise<void>
  /** Takes back what this call put into the store. */
  discard(): Promise<void>
}

const NONE: readonly StagedFile[] = []

/** Finds, owns, measures and recognises every file of a call; the first that does not hold is the problem. */
export async function stageFiles(schema: TSchema, body: unknown, room: FileRoom): Promise<StagedFiles> {
  const places = markedPlaces(FILE_RULE, schema, body)
  if (places.length === 0) return new Stage(body, NONE, room.store)
  const sought = await Promise.allSettled(places.map(place => findSource(place.value, slotOf<FileRule>(place), room)))
  let input = body
  const files: StagedFile[] = []
  for (const [index, place] of places.entries()) {
    const found = sought[index]!
    if (found.status === 'rejected') throw found.reason
    const file = await recognised(found.value, slotOf<FileRule>(place))
    files.push(file)
    input = withReplaced(input, place.path, file)
  }
  return new Stage(input, files, room.store)
}

async function recognised(found: Found, slot: Slot<FileRule>): Promise<StagedFile> {
  const { rule, field, index } = slot
  const { bytes, key, sizeBytes, name, sha256 } = found
  if (sizeBytes === 0 && !rule.allowEmpty) throw new Problem('INPUT_EMPTY', hintsOf(slot))
  const types = await typesOf(found)
  const type = found.type ?? (sizeBytes === 0 ? 'text/plain' : acceptedType(types, rule.accept))
  if (!type) {
    throw new Problem(rule.refuse, {
      detected: types[0],
      supported: rule.accept,
      field,
      ...(index !== undefined && { index }),
    })
  }
  const file: StagedFile = { type, sizeBytes, ...(key && { key }), ...(name && { name }), ...(sha256 && { sha256 }) }
  if (bytes) holdBytes(file, bytes)
  return file
}

async function typesOf({ isText, type, head, sizeBytes }: Found): Promise<string[]> {
  if (type) return [type]
  return isText ? sniffText(head) : sniff(head, head.length === sizeBytes)
}

function hintsOf({ field, index }: Slot<FileRule>): { field: string; index?: number } {
  return index === undefined ? { field } : { field, index }
}

class Stage implements StagedFiles {
  readonly input: unknown
  readonly files: readonly StagedFile[]
  readonly totalBytes: number
  readonly #store: ObjectStore

  constructor(input: unknown, files: readonly StagedFile[], store: ObjectStore) {
    this.input = input
    this.files = files
    this.totalBytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
    this.#store = store
  }

  get isInMemory(): boolean {
    return this.files.every(file => heldBytes(file) !== undefined)
  }

  async settle(): Promise<void> {
    try {
      for (const file of this.files) await this.#settleOne(file)
    } catch (error) {
      await this.discard()
      throw error
    }
  }

  async discard(): Promise<void> {
    const mine = this.files.flatMap(({ key }) => (key?.startsWith('stage/') ? [key] : []))
    await Promise.all(mine.map(key => this.#store.remove(key)))
  }

  async #settleOne(file: StagedFile): Promise<void> {
    const bytes = heldBytes(file)
    if (file.key || file.inline !== undefined || !bytes) return
    if (bytes.length <= INLINE_FILE_BYTES) {
      file.inline = bytes.toString('base64')
      return
    }
    const key = `stage/${newId()}`
    await this.#store.put(key, bytes, { contentType: 'application/octet-stream' })
    file.key = key
  }
}
