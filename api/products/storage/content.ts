import { Readable } from 'node:stream'
import { newId, Problem } from '#kit'
import { contentDisposition } from '../../../ops/providers/storage/disposition.ts'
import { type LeaseContent, reserveContent, type StorageView } from '../../../sql/storage/content.ts'
import type { ApiContext } from '../../context.ts'
import type { IncomingCall } from '../../incoming-call.ts'
import type { AnswerSink } from '../../intake/reply/sink.ts'
import { entityTag, readFilename } from '../lease/index.ts'

/** The largest file that any storage lease can be sold for; each has its own limit below it. */
export const MAX_STORAGE_BYTES = 52_428_800

/** Bytes in the object store that no lease has taken over yet. */
class StoredBody {
  readonly content: LeaseContent
  readonly #store: ApiContext['store']
  #isTaken = false

  constructor(content: LeaseContent, store: ApiContext['store']) {
    this.content = content
    this.#store = store
  }

  /** Puts them into a lease. After an error that is no refusal they may be in it, and are removed later if they are not. */
  async take<Result>(use: (content: LeaseContent) => Promise<Result>): Promise<Result> {
    this.#isTaken = true
    try {
      return await use(this.content)
    } catch (error) {
      this.#isTaken = !(error instanceof Problem)
      throw error
    }
  }

  async release(): Promise<void> {
    if (!this.#isTaken) await this.#store.remove(this.content.key).catch(() => undefined)
  }
}

/** Streams a body to the object store. */
export async function storeBody(
  { db, store }: Pick<ApiContext, 'db' | 'store'>,
  { request, accountId, maxBytes }: { request: IncomingCall; accountId: string; maxBytes: number },
): Promise<StoredBody> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes)
  if (!(request.body instanceof Readable)) throw new Problem('EMPTY_BODY')
  const type = (request.headers['content-type'] ?? 'application/octet-stream').slice(0, 255)
  const key = `lease/${newId()}`
  await reserveContent(db, accountId, key, type)
  try {
    const { sizeBytes, sha256 } = await receive(store, key, request, { type, maxBytes })
    if (sizeBytes === 0) throw new Problem('EMPTY_BODY')
    const content = { key, size: sizeBytes, sha256: sha256!, type, filename: readFilename(request.headers) }
    return new StoredBody(content, store)
  } catch (error) {
    await store.remove(key).catch(() => undefined)
    throw error
  }
}

/** The connection stays open when the body is refused, because it carries the answer. */
async function receive(
  store: ApiContext['store'],
  key: string,
  { body, raw }: IncomingCall,
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

export function setContentHeaders(reply: AnswerSink, view: StorageView): void {
  reply.headers(describeContent(view))
}
