import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { createGunzip, createGzip } from 'node:zlib'
import type pg from 'pg'
import { Problem } from '#kit'
import { mapInBatches } from '../map-in-batches.ts'
import type { ObjectStore } from '../providers/storage/contract.ts'
import { isObjectKey } from '../providers/storage/key.ts'
import { BackupError } from './errors.ts'
import type { Manifest } from './manifest.ts'
import { measure, type Part, type Vault } from './vault.ts'

const AT_ONCE = 8
/** Outputs belong to a record; those without one are left over from a worker that died. */
const RECORDED_ONLY = 'scratch/'

/** A stored object in the index of a backup; one that was not there when it was to be copied has no part. */
interface ObjectCopy {
  key: string
  type?: string
  sizeBytes?: number
  sha256?: string
  modifiedAt?: string
  part?: Part
}

interface CopiedObjects extends Pick<Manifest, 'objects'> {
  /** Keys of objects that should be there and are not. */
  absent: string[]
}

/** Copies objects. What the backup before this one has and has not changed since is named again and not copied. */
export async function saveObjects(
  vault: Vault,
  store: Pick<ObjectStore, 'read' | 'stat'>,
  due: readonly DueObject[],
  earlier: Manifest | undefined,
): Promise<CopiedObjects> {
  const known = earlier ? await readKept(vault, earlier) : new Map<string, ObjectCopy>()
  const counts = { count: 0, sizeBytes: 0, copied: 0 }
  const absent: string[] = []
  async function* index(): AsyncGenerator<string, undefined> {
    const saved = mapInBatches(due, AT_ONCE, each => saveObject(vault, store, each, known.get(each.key)))
    for await (const { copy, isCopied, isRequired } of saved) {
      if (copy.part) count(counts, copy, isCopied)
      else if (isRequired) absent.push(copy.key)
      else continue
      yield `${JSON.stringify(copy)}\n`
    }
  }
  const part = await vault.write(Readable.from(index()).compose(createGzip({ level: 1 })))
  return { objects: { part, ...counts, absent: absent.length }, absent }
}

/** What an earlier backup has and the place still keeps. What was lost there is copied again. */
async function readKept(vault: Vault, earlier: Manifest): Promise<Map<string, ObjectCopy>> {
  const kept = new Map<string, ObjectCopy>()
  const names = new Set(await Array.fromAsync(vault.place.list('parts/')))
  try {
    for await (const copy of readObjectIndex(vault, earlier))
      if (copy.part && names.has(copy.part.name)) kept.set(copy.key, copy)
    return kept
  } catch (error) {
    if (!(error instanceof BackupError)) throw error
    return new Map()
  }
}

function count(
  counts: { count: number; sizeBytes: number; copied: number },
  copy: ObjectCopy,
  isCopied: boolean,
): void {
  counts.count += 1
  counts.sizeBytes += copy.sizeBytes!
  if (isCopied) counts.copied += 1
}

interface DueObject {
  key: string
  modifiedAt?: string
  /** The snapshot says that it is there: it was not waiting for its bytes, and had not expired. */
  isRequired: boolean
}

/** The objects that a snapshot names, and those that the calls in it are to read. */
export async function listDueObjects(client: pg.Client, store: Pick<ObjectStore, 'list'>): Promise<DueObject[]> {
  const { rows } = await client.query<{ key: string; is_required: boolean }>(
    'select key, installation.is_required(o) as is_required from svc.object o',
  )
  const due = new Map<string, DueObject>(rows.map(row => [row.key, { key: row.key, isRequired: row.is_required }]))
  for await (const { key, modifiedAt } of store.list('')) {
    // A file that is no object, such as one that an operator has put there.
    if (!isObjectKey(key)) continue
    const recorded = due.get(key)
    if (recorded || !key.startsWith(RECORDED_ONLY))
      due.set(key, { key, modifiedAt: modifiedAt.toISOString(), isRequired: recorded?.isRequired ?? false })
  }
  return [...due.values()].sort((one, other) => (one.key < other.key ? -1 : 1))
}

async function saveObject(
  vault: Vault,
  store: Pick<ObjectStore, 'read' | 'stat'>,
  { key, modifiedAt, isRequired }: DueObject,
  known: ObjectCopy | undefined,
): Promise<{ copy: ObjectCopy; isCopied: boolean; isRequired: boolean }> {
  if (modifiedAt !== undefined && known && known.modifiedAt === modifiedAt)
    return { copy: known, isCopied: false, isRequired }
  try {
    const facts = await store.stat(key)
    if (!facts) return { copy: { key }, isCopied: false, isRequired }
    const measured = measure(await store.read(key))
    const part = await vault.write(measured.bytes)
    const copy = { key, type: facts.contentType, ...measured.result(), ...(modifiedAt && { modifiedAt }), part }
    return { copy, isCopied: true, isRequired }
  } catch (error) {
    if (!(error instanceof Problem && error.code === 'NOT_FOUND')) throw error
    return { copy: { key }, isCopied: false, isRequired }
  }
}

export async function* readObjectIndex(vault: Vault, { objects }: Manifest): AsyncGenerator<ObjectCopy, undefined> {
  const text = Readable.from(vault.read(objects.part)).compose(createGunzip())
  for await (const line of createInterface({ input: text })) yield JSON.parse(line) as ObjectCopy
}

/** Writes the objects of a backup into a store and compares what arrives with their hashes. */
export async function loadObjects(vault: Vault, manifest: Manifest, store: Pick<ObjectStore, 'put'>): Promise<void> {
  const loaded = mapInBatches(readObjectIndex(vault, manifest), AT_ONCE, copy => loadObject(vault, copy, store))
  for await (const _ of loaded) {
  }
}

async function loadObject(vault: Vault, copy: ObjectCopy, store: Pick<ObjectStore, 'put'>): Promise<void> {
  if (!copy.part) return
  const { sha256 } = await store.put(copy.key, vault.read(copy.part), { contentType: copy.type!, isHashed: true })
  if (sha256 !== copy.sha256) throw new BackupError(`The object ${copy.key} of the backup is not as it was written.`)
}
