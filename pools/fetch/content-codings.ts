import type { IncomingMessage } from 'node:http'
import { Duplex, pipeline } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw, createZstdDecompress } from 'node:zlib'
import { Problem } from '#kit'

const MAX_CODINGS = 4
/** The method of compression in the first byte of what zlib writes. */
const METHOD_BITS = 0x0f
const ZLIB_METHOD = 8

type Choose = (firstByte: number) => Duplex

const DECODERS: Record<string, Choose | undefined> = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  // Some servers leave out the header that belongs to `deflate`.
  deflate: firstByte => ((firstByte & METHOD_BITS) === ZLIB_METHOD ? createInflate() : createInflateRaw()),
  br: () => createBrotliDecompress(),
  zstd: () => createZstdDecompress(),
}

/**
 * The streams that undo how the body of an answer is coded, in the order in which they are needed (RFC 9110, 8.4). Servers
 * may compress although they were asked not to. An unknown coding changes nothing, as in browsers.
 */
export function createDecoders(reply: IncomingMessage): Duplex[] {
  const names = (reply.headers['content-encoding'] ?? '').toLowerCase().split(',')
  const decoders = names.flatMap(name => DECODERS[name.trim()] ?? [])
  if (decoders.length > MAX_CODINGS) {
    reply.destroy()
    throw new Problem('FETCH_FAILED', { reason: `the body is coded more than ${MAX_CODINGS} times` })
  }
  return decoders.reverse().map(createDecoder)
}

/** Nothing at all is not decoded. */
function createDecoder(choose: Choose): Duplex {
  return Duplex.from(async function* (source: AsyncIterable<Buffer>) {
    const chunks = source[Symbol.asyncIterator]()
    const first = await chunks.next()
    if (first.done) return
    const decoder = choose(first.value[0]!)
    const all = async function* () {
      yield first.value
      yield* { [Symbol.asyncIterator]: () => chunks }
    }
    // What fails is thrown by the reading of the decoder.
    pipeline(all, decoder, () => undefined)
    yield* decoder as AsyncIterable<Buffer>
  })
}
