import { findMarkedValues, OUTPUT_RULE, Problem, replaceAt, type StoredOutput } from '#kit'
import { contentDisposition } from '../../../../ops/providers/storage/disposition.ts'
import { presignOutput } from '../../../../ops/providers/storage/envelope.ts'
import { type JobRecord, readJob } from '../../../../sql/job.ts'
import { readObject } from '../../../../sql/object.ts'
import type { ApiContext } from '../../../context.ts'
import type { PageFile } from '../page.ts'

/** An output file of a job; `path` says where it stands in the result. */
export interface JobFile {
  path: readonly (string | number)[]
  output: StoredOutput
}

/** The files of a result, each once: some operations name a single file in two places. */
export function listFiles({ catalog }: ApiContext, { ticket, result }: JobRecord): JobFile[] {
  const schema = catalog.operation(ticket.serviceKey)?.output
  if (!schema) return []
  const seen = new Set<string>()
  return findMarkedValues(OUTPUT_RULE, schema, result)
    .map(({ path, value }) => ({ path, output: value as StoredOutput }))
    .filter(({ output: { key } }) => key === undefined || (!seen.has(key) && seen.add(key)))
}

/** A result without its files. */
export function withoutFiles({ catalog }: ApiContext, { ticket, result }: JobRecord): unknown {
  const schema = catalog.operation(ticket.serviceKey)?.output
  if (!schema) return result
  const files = findMarkedValues(OUTPUT_RULE, schema, result)
  return files.reduce((rest, { path }) => replaceAt(rest, path, undefined), result)
}

/** When the file is deleted; undefined for one that is part of the result, and null for one that is gone. */
export async function findExpiry(context: ApiContext, accountId: string, { key }: StoredOutput) {
  if (key === undefined) return undefined
  const record = await readObject(context.db, accountId, key)
  return record && !record.isExpired ? record.expiresAt : null
}

/** A file of a job by its number; NOT_FOUND if it is not this account's, or gone. */
export async function findFile(
  context: ApiContext,
  accountId: string,
  { id, index }: Record<string, string>,
): Promise<StoredOutput> {
  const job = await readJob(context.db, accountId, id!)
  const output = job && /^\d{1,4}$/.test(index!) ? listFiles(context, job)[Number(index)]?.output : undefined
  if (!output || (await findExpiry(context, accountId, output)) === null) throw new Problem('NOT_FOUND')
  return output
}

const DOWNLOAD_SECONDS = 300

/** Sends a file as a download, or leads to where it is stored. */
export async function download(
  { store }: ApiContext,
  output: StoredOutput,
): Promise<PageFile | { redirectTo: string }> {
  const { key, inline, name, contentType } = output
  if (key !== undefined) return { redirectTo: await presignOutput(output, store, DOWNLOAD_SECONDS) }
  const headers = { 'content-type': contentType, 'content-disposition': contentDisposition(name) }
  return { headers: { ...headers, ...SANDBOX }, body: Buffer.from(inline!, 'base64') }
}

/** Whatever a file of a customer contains, a browser that opens it runs nothing and loads nothing. */
export const SANDBOX = {
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
}

/** The first bytes of a file. */
export async function readHead(
  { store }: ApiContext,
  { key, inline, sizeBytes }: StoredOutput,
  maxBytes: number,
): Promise<Buffer> {
  if (key === undefined) return Buffer.from(inline!, 'base64').subarray(0, maxBytes)
  if (sizeBytes === 0) return Buffer.alloc(0)
  const chunks: Uint8Array[] = []
  const range = { start: 0, end: Math.min(sizeBytes, maxBytes) - 1 }
  for await (const chunk of await store.read(key, range)) chunks.push(chunk as Uint8Array)
  return Buffer.concat(chunks)
}
