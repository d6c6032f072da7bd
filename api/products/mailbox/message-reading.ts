import { Problem } from '#kit'
import type { ApiContext } from '../../context.ts'
import type { RequestWithBody } from '../../incoming-call.ts'
import { withBody } from '../lease/index.ts'

/** Bytes that one mailbox may have on their way at once, so that its senders cannot fill the memory of the process. */
const MAX_ARRIVING_BYTES = 32 * 2 ** 20
const arrivingBytes = new Map<string, number>()

/** Reads a message into memory and lets `store` have it. The declared length counts only as an upper bound. */
export async function withMessage<Result>(
  context: Pick<ApiContext, 'settings'>,
  request: RequestWithBody,
  { id, maxBytes }: { id: string; maxBytes: number },
  store: (body: Buffer) => Promise<Result>,
): Promise<Result> {
  const declared = Number(request.headers['content-length'] ?? maxBytes)
  const claimed = Math.min(declared, maxBytes)
  const arriving = arrivingBytes.get(id) ?? 0
  if (arriving > 0 && arriving + claimed > MAX_ARRIVING_BYTES) throw new Problem('BUSY', { retryAfterSeconds: 1 })
  arrivingBytes.set(id, arriving + claimed)
  try {
    return await withBody(context, request, maxBytes, store)
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'BODY_TOO_LARGE') throw error
    throw new Problem('BODY_TOO_LARGE', { max_message_bytes: maxBytes })
  } finally {
    const left = arrivingBytes.get(id)! - claimed
    if (left > 0) arrivingBytes.set(id, left)
    else arrivingBytes.delete(id)
  }
}

const MEDIA_TYPE = /^[a-z0-9!#$&^_.+-]+\/(\*|[a-z0-9!#$&^_.+-]+)$/
const MAX_TYPES = 32

/** The list in `X-Allowed-Content-Types`; a subtype may be `*`. */
export function parseContentTypes(header: string | undefined): string[] | null {
  if (header === undefined) return null
  const types = header.split(',').map(text => text.trim().toLowerCase())
  if (types.length > MAX_TYPES || !types.every(type => MEDIA_TYPE.test(type))) {
    throw new Problem('INVALID_PARAM', {
      field: 'X-Allowed-Content-Types',
      reason: `It must be up to ${MAX_TYPES} content types such as text/plain or image/*, separated by commas.`,
    })
  }
  return [...new Set(types)]
}

const UNKNOWN_TYPE = 'application/octet-stream'

/** The content type of a message, if the mailbox takes it. */
export function requireContentType(header: string | undefined, allowed: readonly string[] | null): string {
  const given = (header ?? UNKNOWN_TYPE).slice(0, 255)
  const type = given.split(';', 1)[0]!.trim().toLowerCase()
  const isAllowed = allowed === null || allowed.includes(type) || allowed.includes(type.replace(/\/.*$/, '/*'))
  if (!isAllowed) throw new Problem('UNSUPPORTED_MEDIA_TYPE', { header: 'Content-Type', accepted: allowed })
  return given
}
