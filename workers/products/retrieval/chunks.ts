import { createHash } from 'node:crypto'
import { Problem } from '#kit'
import { Threads } from '../../../ops/process/threads.ts'
import type { Embedder } from '../../../ops/providers/embedding/contract.ts'
import type { IngestTerms } from '../../../sql/retrieval/ingest.ts'
import { HASH_DIMENSIONS, HASH_MODEL } from '../../../tasks/engines/vectors/hash-embedding.ts'
import type { PreparedText } from '../../../tasks/engines/vectors/prepare.ts'
import { type IngestCall, overlapOf, type ReadDocument } from '../../../tasks/products/retrieval/index.ts'
import type { PrepareAnswer, PrepareWork, ReadyChunk } from './prepare-thread.ts'

const LIMIT_MS = 60_000
const PROVIDER_LIMIT_MS = 120_000
/** So much text is given to a thread at once, so that others get their turn. */
const TURN_CHUNKS = 200

const threads = new Threads<PrepareWork, PrepareAnswer>(new URL('prepare-thread.ts', import.meta.url))

/** The database takes neither halves of characters nor zeros. Places stay what they are. */
export function cleanText(text: string): string {
  return text.toWellFormed().replaceAll('\0', ' ')
}

export async function cut(sizes: ChunkTerms, text: string): Promise<ReadyChunk[]> {
  const { split, chunkBytes } = sizes
  const work = { text, terms: { split, chunkBytes, overlapBytes: overlapOf(sizes) } }
  return (await threads.perform(work, AbortSignal.timeout(LIMIT_MS))) as ReadyChunk[]
}

/** A text of signs alone has no words to search for. */
export function requireChunks(chunks: readonly ReadyChunk[]): void {
  if (chunks.length === 0) throw new Problem('INPUT_EMPTY', { field: 'file', reason: 'the text has no words' })
}

export async function embed(chunks: readonly ReadyChunk[], embedder: Embedder | undefined): Promise<PreparedText[]> {
  const prepared: PreparedText[] = []
  for (let at = 0; at < chunks.length; at += TURN_CHUNKS) {
    const texts = chunks.slice(at, at + TURN_CHUNKS).map(({ text }) => text)
    const work = { texts, isEmbedded: !embedder }
    prepared.push(...((await threads.perform(work, AbortSignal.timeout(LIMIT_MS))) as PreparedText[]))
  }
  if (!embedder) return prepared
  const limits = { signal: AbortSignal.timeout(PROVIDER_LIMIT_MS), deadlineMs: performance.now() + PROVIDER_LIMIT_MS }
  const texts = chunks.map(({ text }) => text)
  const floats = await embedder.embed(texts, 'text', limits)
  return prepared.map((one, index) => ({ ...one, floats: floats[index]! }))
}

type ChunkTerms = Pick<IngestCall, 'split' | 'chunkBytes' | 'overlapBytes'>
type ChunkedCall = Pick<IngestCall, 'docId' | 'namespace' | 'metadata' | 'replaceDoc'>

interface Made {
  text: string
  chunks: readonly ReadyChunk[]
  prepared: readonly PreparedText[]
  pages: ReadDocument['pages']
  embedder: Embedder | undefined
}

/** The chunks as they are stored. */
export function describeChunks(
  call: ChunkedCall,
  { text, chunks, prepared, pages, embedder }: Made,
): Omit<IngestTerms, 'plan'> {
  const docId = call.docId ?? createHash('sha256').update(text).digest('hex')
  const dimensions = prepared[0]?.floats?.length ?? HASH_DIMENSIONS
  const floats = new Float32Array(chunks.length * dimensions)
  const items = chunks.map(({ text: body, start, end, heading }, n) => {
    const { words, wordCount, floats: vector } = prepared[n]!
    if (vector) floats.set(vector, n * dimensions)
    const place = { docId, n, start, end, ...(heading && { heading }), ...findPages(pages, start, end) }
    return { id: `${docId}#${n}`, text: body, words, wordCount, metadata: { ...call.metadata, ...place } }
  })
  const batch = {
    ...{ namespace: call.namespace, onConflict: call.replaceDoc ? 'replace' : 'error', returnIds: false },
    ...{ count: items.length, dimensions, textModel: embedder?.model ?? HASH_MODEL },
    ...{ engine: embedder ? 'provider' : 'lexical', batches: Math.ceil(items.length / 100), items },
    ...(call.replaceDoc && { document: docId }),
  }
  return { docId, batch, floats: Buffer.from(floats.buffer) }
}

/** The page on which a chunk begins, and that on which it ends if it is another. */
function findPages(pages: ReadDocument['pages'], start: number, end: number): { page?: number; pageEnd?: number } {
  const find = (at: number) => pages.findLast(({ start: first }) => first <= at)?.page
  const [page, pageEnd] = [find(start), find(end - 1)]
  if (page === undefined || pageEnd === undefined) return {}
  return { page, ...(pageEnd !== page && { pageEnd }) }
}
