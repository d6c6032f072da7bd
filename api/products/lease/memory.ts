import { Problem } from '#kit'
import type { ApiContext } from '../../context.ts'
import type { RequestWithBody } from '../../incoming-call.ts'
import { readStreamedBody } from '../../intake/body/json.ts'

/** Bytes of bodies that this process holds until they are in the database. */
let heldBytes = 0

interface HeldBody {
  body: Buffer
  /** Makes room for others. */
  release(): void
}

/** Reads a body into memory. All bodies that arrive at once share the memory that is set aside. */
export async function holdBody(
  { settings }: Pick<ApiContext, 'settings'>,
  request: RequestWithBody,
  maxBytes: number,
): Promise<HeldBody> {
  const limit = settings.get('lease.memory_bytes')
  let ownBytes = 0
  const take = (bytes: number): void => {
    requireMemory(bytes, limit)
    heldBytes += bytes
    ownBytes += bytes
  }
  const release = (): void => {
    heldBytes -= ownBytes
    ownBytes = 0
  }
  requireMemory(Math.min(maxBytes, Number(request.headers['content-length'] ?? 0)), limit)
  try {
    return { body: await readStreamedBody(request, maxBytes, take), release }
  } catch (error) {
    release()
    throw error
  }
}

/** The same for one use. */
export async function withBody<Result>(
  context: Pick<ApiContext, 'settings'>,
  request: RequestWithBody,
  maxBytes: number,
  use: (body: Buffer) => Promise<Result>,
): Promise<Result> {
  const { body, release } = await holdBody(context, request, maxBytes)
  try {
    return await use(body)
  } finally {
    release()
  }
}

function requireMemory(bytes: number, limit: number): void {
  if (heldBytes + bytes > limit) throw new Problem('BUSY', { retryAfterSeconds: 1 })
}
