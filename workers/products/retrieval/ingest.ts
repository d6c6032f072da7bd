import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { JobPayload } from '#kit'
import { computeCharge, type Outcome, type Tariff } from '#kit'
import type { Embedder } from '../../../ops/providers/embedding/contract.ts'
import { Threads } from '../../../ops/threads.ts'
import { finishIngest, type IngestPlan, type IngestTerms } from '../../../sql/retrieval/ingest.ts'
import { HASH_DIMENSIONS, HASH_MODEL } from '../../../tasks/engines/vectors/hash-embedding.ts'
import type { PreparedText } from '../../../tasks/engines/vectors/prepare.ts'
import {
  checkRead,
  countIngestUnits,
  type IngestCall,
  type ReadDocument,
} from '../../../tasks/products/retrieval/index.ts'
import type { EndingParts } from '../../context.ts'
import { openTextEmbedder } from './embedder.ts'
import type { PrepareAnswer, PrepareWork, ReadyChunk } from './prepare-thread.ts'

const LIMIT_MS = 60_000
const PROVIDER_LIMIT_MS = 120_000
/** So much text is given to a thread at once, so that others get their turn. */
const TURN_CHUNKS = 200

const threads = new Threads<PrepareWork, PrepareAnswer>(new URL('prepare-thread.ts', import.meta.url))

/** Cuts and embeds what was read, and writes it to its baton with the end of the job. */
export const ragIngest: EndingParts = {
  async prepare(context, payload, outcome, tariff) {
    const call = payload.input as IngestCall
    const read = outcome.result as ReadDocument
    const watch = new Stopwatch()
    const text = cleanText(read.text ?? (await readFile(read.path!, 'utf8')))
    checkRead(text)
    const chunks = await cut(call, text)
    const chunkMs = watch.lap()
    const plan = payload.delivery!.plan as IngestPlan
    const embedder = plan.model === HASH_MODEL ? undefined : openTextEmbedder(context)
    const prepared = await embed(chunks, embedder)
    const embedMs = watch.lap()
    const terms = describe(call, { text, chunks, prepared, pages: read.pages, embedder })
    const costs = divide(call, outcome, tariff, Buffer.byteLength(text), payload)
    const steps = listSteps(read, costs, { chunkMs, embedMs })
    const result = {
      ...{ batonId: plan.batonId, created: plan.spec !== undefined, docId: terms.docId, chunks: chunks.length },
      ...{ engine: embedder ? 'provider' : 'lexical', bytes: Buffer.byteLength(text), steps },
      chargedMicros: String(costs.total),
      ...(outcome.warnings && outcome.warnings.length > 0 && { warnings: outcome.warnings }),
    }
    return { chargeMicros: costs.total, result: JSON.stringify(result), terms: { ...terms, plan } }
  },

  finish: (context, ending, success, { terms }) => finishIngest(context.db, ending, success, terms as IngestTerms),
}

class Stopwatch {
  #last = performance.now()

  lap(): number {
    const now = performance.now()
    const ms = Math.round(now - this.#last)
    this.#last = now
    return ms
  }
}

/** The database takes neither halves of characters nor zeros. Places stay what they are. */
function cleanText(text: string): string {
  return text.toWellFormed().replaceAll('\0', ' ')
}

async function cut({ split, chunkBytes, overlapBytes }: IngestCall, text: string): Promise<ReadyChunk[]> {
  const work = { text, terms: { split, chunkBytes, overlapBytes } }
  return (await threads.perform(work, AbortSignal.timeout(LIMIT_MS))) as ReadyChunk[]
}

async function embed(chunks: readonly ReadyChunk[], embedder: Embedder | undefined): Promise<PreparedText[]> {
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

interface Made {
  text: string
  chunks: readonly ReadyChunk[]
  prepared: readonly PreparedText[]
  pages: ReadDocument['pages']
  embedder: Embedder | undefined
}

/** The chunks as they are stored. */
function describe(call: IngestCall, { text, chunks, prepared, pages, embedder }: Made): Omit<IngestTerms, 'plan'> {
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

interface Costs {
  read: bigint
  chunk: bigint
  embed: bigint
  write: bigint
  total: bigint
}

/** What each step costs, at most what was held for all of them together. */
function divide(
  call: IngestCall,
  { result }: Outcome<unknown>,
  tariff: Tariff,
  bytes: number,
  { delivery }: JobPayload,
): Costs {
  const read = (result as ReadDocument).reading?.chargeMicros ?? 0n
  const units = countIngestUnits(bytes, call)
  const count = Math.min(tariff.units, units.embed + units.write)
  const created = BigInt(delivery!.chargeMicros)
  const total = computeCharge(tariff, { units: count }) + created
  const embedMicros = tariff.rateMicros * BigInt(Math.min(units.embed, count))
  const write = tariff.rateMicros * BigInt(Math.max(0, count - units.embed)) + created
  return { read, embed: embedMicros, write, chunk: total - read - embedMicros - write, total }
}

function listSteps(
  { reading }: ReadDocument,
  costs: Costs,
  { chunkMs, embedMs }: { chunkMs: number; embedMs: number },
) {
  const step = (name: 'read' | 'chunk' | 'embed' | 'write', ms: number) => ({
    ...{ name, status: 'succeeded', chargedMicros: String(costs[name]), ms },
  })
  return [
    ...(reading ? [step('read', reading.ms)] : []),
    ...[step('chunk', chunkMs), step('embed', embedMs), step('write', 0)],
  ]
}
