import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { newId, Problem } from '#kit'
import { contentDisposition } from '../../../ops/providers/storage/disposition.ts'
import { readAccount } from '../../../sql/account.ts'
import { type LeaseContent, reserveContent, type StorageView } from '../../../sql/storage/content.ts'
import type { ApiContext } from '../../context.ts'
import type { Caller } from '../../intake/identity/caller.ts'
import { entityTag, readFilename } from '../lease/index.ts'

/** The largest file that any storage lease can be sold for; each has its own limit below it. */
export const MAX_STORAGE_BYTES = 52_428_800

/** Streams a body to the object store, and lets `use` put it into a lease. Nothing stays if that fails. */
export async function withStoredBody<Result>(
  { db, store }: Pick<ApiContext, 'db' | 'store'>,
  { request, accountId, maxBytes }: { request: FastifyRequest; accountId: string; maxBytes: number },
  use: (content: LeaseContent) => Promise<Result>,
): Promise<Result> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes)
  if (!(request.body instanceof Readable)) throw new Problem('EMPTY_BODY')
  const type = (request.headers['content-type'] ?? 'application/octet-stream').slice(0, 255)
  const key = `lease/${newId()}`
  await reserveContent(db, accountId, key, type)
  try {
    const { sizeBytes, sha256 } = await receive(store, key, request, { type, maxBytes })
    if (sizeBytes === 0) throw new Problem('EMPTY_BODY')
    return await use({ key, size: sizeBytes, sha256: sha256!, type, filename: readFilename(request.headers) })
  } catch (error) {
    await store.remove(key).catch(() => undefined)
    throw error
  }
}

/** The connection stays open when the body is refused, because it carries the answer. */
async function receive(
  store: ApiContext['store'],
  key: string,
  { body, raw }: FastifyRequest,
  { type, maxBytes }: { type: string; maxBytes: number },
) {
  const chunks = (body as Readable).iterator({ destroyOnReturn: false })
  try {
    return await store.put(key, chunks as AsyncIterable<Buffer>, { contentType: type, maxBytes, isHashed: true })
  } catch (error) {
    if (raw.destroyed && !raw.complete) throw new Problem('BODY_INCOMPLETE')
    throw error instanceof Problem && error.code === 'STORED_INPUT_TOO_LARGE' ? tooLarge(maxBytes) : error
  }
}

function tooLarge(maxBytes: number): Problem {
  return new Problem('BODY_TOO_LARGE', { max_body_bytes: maxBytes })
}

/** Refuses a purchase before its body is read, if its account cannot pay. A repeat of an earlier one costs nothing. */
export async function requireFunds(
  { db }: ApiContext,
  caller: Caller,
  request: FastifyRequest,
  amountMicros: bigint,
): Promise<void> {
  if (request.headers['idempotency-key'] !== undefined) return
  const balanceMicros = BigInt((await readAccount(db, caller.accountId))?.balanceMicros ?? 0)
  if (balanceMicros >= amountMicros) return
  const amounts = { amountMicros: amountMicros.toString(), balanceMicros: balanceMicros.toString() }
  throw new Problem('INSUFFICIENT_BALANCE', { serviceKey: 'leases.create-storage', ...amounts })
}

/** Whoever stored it may have been a stranger to the reader, so browsers are told to download it and to run nothing. */
export function describeContent(view: StorageView): Record<string, string> {
  return {
    'content-type': view.content_type,
    'content-disposition': contentDisposition(view.filename ?? undefined),
    'x-content-type-options': 'nosniff',
    'content-security-policy': "sandbox; default-src 'none'",
    etag: entityTag(view.version, view.sha256),
    'last-modified': new Date(view.updated_at).toUTCString(),
    'x-lease-expires-at': view.expires_at,
  }
}

export function setContentHeaders(reply: FastifyReply, view: StorageView): void {
  reply.headers(describeContent(view))
}
