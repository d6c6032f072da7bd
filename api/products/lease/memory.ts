import type { FastifyRequest } from 'fastify'
import { Problem } from '#kit'
import type { ApiContext } from '../../context.ts'
import { readStreamedBody } from '../../intake/body/receive.ts'

/** Bytes of bodies that this process holds until they are in the database. */
let heldBytes = 0

/** Reads a body into memory and lets `use` have it. All bodies that arrive at once share the memory that is set aside. */
export async function withBody<Result>(
  { settings }: Pick<ApiContext, 'settings'>,
  request: FastifyRequest,
  maxBytes: number,
  use: (body: Buffer) => Promise<Result>,
): Promise<Result> {
  const limit = settings.get('lease.memory_bytes')
  let ownBytes = 0
  const take = (bytes: number): void => {
    requireMemory(bytes, limit)
    heldBytes += bytes
    ownBytes += bytes
  }
  requireMemory(Math.min(maxBytes, Number(request.headers['content-length'] ?? 0)), limit)
  try {
    return await use(await readStreamedBody(request, maxBytes, take))
  } finally {
    heldBytes -= ownBytes
  }
}

function requireMemory(bytes: number, limit: number): void {
  if (heldBytes + bytes > limit) throw new Problem('BUSY', { retryAfterSeconds: 1 })
}
