import { newId, Problem, type StagedFile } from '#kit'
import {
  type PreparationRequest,
  type PreparedDocuments,
  readPreparation,
  requestPreparation,
  reserveObject,
} from '../../../sql/esigndoc/preparations.ts'
import type { PlaceSearch, StoredFile } from '../../../tasks/products/esigndoc/document.ts'
import type { ApiContext } from '../../context.ts'
import { readKeptBytes } from '../../intake/files/stage-files.ts'

/** A file of a call, and how it is called. */
export interface SentFile {
  file: StagedFile
  name: string
}

const OFFICE =
  /^application\/(vnd\.(openxmlformats-officedocument|oasis\.opendocument|ms-(word|excel|powerpoint))|msword|rtf)|^text\/rtf/

/** Has a worker look at the files of a call. Throws what it refuses, and BUSY if there is no worker in time. */
export async function prepareFiles(
  context: ApiContext,
  accountId: string,
  files: readonly SentFile[],
  search: PlaceSearch | undefined,
): Promise<PreparedDocuments> {
  const stored = await Promise.all(files.map(sent => storeFile(context, accountId, sent)))
  return prepareStored(context, accountId, stored, search)
}

export function prepareStored(
  context: ApiContext,
  accountId: string,
  files: readonly StoredFile[],
  search: PlaceSearch | undefined,
): Promise<PreparedDocuments> {
  return prepare(context, accountId, { kind: 'documents', files, search: search ?? null })
}

/** Asks a worker, and waits for it. */
export async function prepare<Result>(
  context: ApiContext,
  accountId: string,
  request: PreparationRequest,
): Promise<Result> {
  const id = newId()
  await requestPreparation(context.db, accountId, id, request)
  const { result, problem } = await context.documentWaits.until(id, async db => {
    const found = await readPreparation<Result>(db, id)
    return found && (found.result !== null || found.problem !== null) ? found : undefined
  })
  if (problem) throw Problem.from(problem)
  return result!
}

/** Copies a file of a call to where documents are kept. Unless something takes it over, it is removed later. */
export async function storeFile(context: ApiContext, accountId: string, { file, name }: SentFile): Promise<StoredFile> {
  const { type, sizeBytes, url } = file
  if (url !== undefined) throw new Problem('MODE_DISABLED', { mode: 'url', instead: 'inputKey' })
  const isPdf = type === 'application/pdf'
  if (!isPdf && !OFFICE.test(type))
    throw new Problem('UNSUPPORTED_FORMAT', { detected: type, supported: ['application/pdf', 'Office documents'] })
  const bytes = readKeptBytes(file) ?? (await context.store.read(file.key!))
  return storeBytes(context, accountId, { name, type, sizeBytes, bytes })
}

interface NewObject extends Omit<StoredFile, 'key'> {
  bytes: Parameters<ApiContext['store']['put']>[1]
}

export async function storeBytes(
  { db, store }: Pick<ApiContext, 'db' | 'store'>,
  accountId: string,
  { bytes, ...file }: NewObject,
): Promise<StoredFile> {
  const key = `signing/${accountId}/${newId()}`
  await reserveObject(db, accountId, key, file.type)
  await store.put(key, bytes, { contentType: file.type })
  return { key, ...file }
}
