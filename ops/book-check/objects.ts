import { createHash } from 'node:crypto'
import { Problem } from '#kit'
import {
  type BookFault,
  isObjectRequired,
  listRequiredObjects,
  readRecordedHashes,
} from '../../sql/installation/books.ts'
import { mapInBatches } from '../map-in-batches.ts'
import type { CheckContext, Checked } from './contract.ts'

const PAGE = 500
const AT_ONCE = 8

/** Reads every object that should be there and compares it with the size and the hash that the database has of it. */
export async function checkObjects(context: CheckContext): Promise<Checked> {
  const hashes = await readRecordedHashes(context.db)
  const counts = { objects: 0, objectBytes: 0, hashedObjects: 0 }
  const faults: BookFault[] = []
  const checked = mapInBatches(listObjects(context), AT_ONCE, ({ key, size_bytes: size }) => {
    const sizeBytes = size === null ? undefined : Number(size)
    return checkObject(context, { key, sizeBytes, sha256: hashes.get(key) })
  })
  for await (const { readBytes, isHashed, detail, key } of checked) {
    counts.objects += 1
    counts.objectBytes += readBytes
    counts.hashedObjects += isHashed ? 1 : 0
    if (detail) faults.push({ rule: 'every object is stored as it was written', subject: key, detail })
  }
  return { counts, faults }
}

async function* listObjects({ db }: CheckContext) {
  for (let after = ''; ; ) {
    const page = await listRequiredObjects(db, after, PAGE)
    if (page.length === 0) return
    yield* page
    after = page.at(-1)!.key
  }
}

interface RecordedObject {
  key: string
  sizeBytes: number | undefined
  sha256: string | undefined
}

async function checkObject(context: CheckContext, recorded: RecordedObject) {
  const { key, sha256 } = recorded
  const found = await measureObject(context, key)
  const detail = found ? describeDifference(recorded, found) : await describeAbsence(context, key)
  return { key, detail, readBytes: found?.sizeBytes ?? 0, isHashed: sha256 !== undefined }
}

async function measureObject({ store }: CheckContext, key: string) {
  try {
    const hash = createHash('sha256')
    let sizeBytes = 0
    for await (const chunk of await store.read(key)) {
      hash.update(chunk as Buffer)
      sizeBytes += (chunk as Buffer).length
    }
    return { sizeBytes, sha256: hash.digest('hex') }
  } catch (error) {
    if (error instanceof Problem && error.code === 'NOT_FOUND') return undefined
    throw error
  }
}

function describeDifference(
  { sizeBytes, sha256 }: RecordedObject,
  found: { sizeBytes: number; sha256: string },
): string | undefined {
  if (sizeBytes !== undefined && sizeBytes !== found.sizeBytes)
    return `${found.sizeBytes} bytes instead of ${sizeBytes}`
  return sha256 !== undefined && sha256 !== found.sha256
    ? `its SHA-256 is ${found.sha256} instead of ${sha256}`
    : undefined
}

/** It may have been removed with its record since the records were read. */
async function describeAbsence({ db }: CheckContext, key: string): Promise<string | undefined> {
  return (await isObjectRequired(db, key)) ? 'it is missing' : undefined
}
