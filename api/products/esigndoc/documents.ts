import { createHash } from 'node:crypto'
import { newId, Problem, type StagedFile } from '#kit'
import {
  findPreparation,
  type PreparationRequest,
  type PreparedDocuments,
  readPreparation,
  requestPreparation,
  reserveObject,
} from '../../../sql/esigndoc/preparations.ts'
import { removeIfUnrecorded } from '../../../sql/object.ts'
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

/**
 * Has a worker look at the files of a call. Throws what it refuses, and BUSY if there is no worker in time. The same call made
 * again then takes what is under way, or done since.
 */
export async function prepareFiles(
  context: ApiContext,
  accountId: string,
  files: readonly SentFile[],
  search: PlaceSearch | undefined,
): Promise<PreparedDocuments> {
  for (const { file } of files) requireDocument(file)
  const fingerprint = await fingerprintFiles(context, files, search)
  const known = await findPreparation(context.db, accountId, fingerprint)
  if (known !== null) return awaitPreparation(context, known)
  const stored = await Promise.all(files.map(sent => storeFile(context, accountId, sent)))
  return prepare(context, accountId, { kind: 'documents', files: stored, search: search ?? null, fingerprint })
}

async function fingerprintFiles(
  context: ApiContext,
  files: readonly SentFile[],
  search: PlaceSearch | undefined,
): Promise<string> {
  const known = await Promise.all(
    files.map(async ({ file, name }) => [name, file.type, file.sha256 ?? (await hashFile(context, file))]),
  )
  return createHash('sha256')
    .update(JSON.stringify([known, search ?? null]))
    .digest('hex')
}

async function hashFile(context: ApiContext, file: StagedFile): Promise<string> {
  const bytes = await openFile(context, file)
  const hash = createHash('sha256')
  for await (const chunk of bytes instanceof Buffer ? [bytes] : bytes) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

async function openFile({ store }: Pick<ApiContext, 'store'>, file: StagedFile) {
  return readKeptBytes(file) ?? (await store.read(file.key!))
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
  return awaitPreparation(context, id)
}

async function awaitPreparation<Result>(context: ApiContext, id: string): Promise<Result> {
  const { result, problem } = await context.documentWaits.until(id, async db => {
    const found = await readPreparation<Result>(db, id)
    return found && (found.result !== null || found.problem !== null) ? found : undefined
  })
  if (problem) throw Problem.from(problem)
  return result!
}

/** Copies a file of a call to where documents are kept. Unless something takes it over, it is removed later. */
export async function storeFile(context: ApiContext, accountId: string, { file, name }: SentFile): Promise<StoredFile> {
  requireDocument(file)
  const { type, sizeBytes } = file
  return storeBytes(context, accountId, { name, type, sizeBytes, bytes: await openFile(context, file) })
}

const SUPPORTED = ['application/pdf', 'Office documents']

/** What makes a PDF of a text. */
function suggestCall(type: string): { instead?: string } {
  if (type === 'text/html') return { instead: 'pdf.from-html' }
  return type === 'text/plain' || type === 'text/markdown' ? { instead: 'pdf.from-markdown' } : {}
}

function requireDocument({ type, url }: StagedFile): void {
  if (url !== undefined) throw new Problem('MODE_DISABLED', { mode: 'url', instead: 'inputKey' })
  if (type !== 'application/pdf' && !OFFICE.test(type))
    throw new Problem('UNSUPPORTED_FORMAT', { detected: type, supported: SUPPORTED, ...suggestCall(type) })
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
  await removeIfUnrecorded(db, store, key)
  return { key, ...file }
}
