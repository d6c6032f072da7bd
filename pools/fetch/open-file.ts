import { pipeline } from 'node:stream'
import type { OpenedFile } from '../../tasks/products/step-deps.ts'
import { createDecoders } from './content-codings.ts'
import { follow, SizeLimit } from './download.ts'
import { createGuard, type GuardOptions } from './guard.ts'

/** Opens a file of a public address as a stream; undefined if it is the one with this mark still. */
type OpenFile = (
  url: string,
  limits: { etag: string | undefined; bytes: number; signal: AbortSignal },
) => Promise<OpenedFile | undefined>

export function createOpenFile(options?: GuardOptions): OpenFile {
  const guard = createGuard(options)
  return async (address, { etag, bytes, signal }) => {
    const conditions = etag === undefined ? {} : { 'if-none-match': etag }
    const reply = await follow(guard.parse(address), guard, signal, conditions)
    if (reply.statusCode === 304) {
      reply.resume()
      return undefined
    }
    const limited = new SizeLimit(bytes)
    // What fails is thrown by the reading of the last stream.
    pipeline([reply, ...createDecoders(reply), limited], () => undefined)
    return { chunks: limited, etag: reply.headers.etag }
  }
}
