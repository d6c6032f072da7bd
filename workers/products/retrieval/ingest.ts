import { readFile } from 'node:fs/promises'
import { computeCharge, type JobPayload, type Outcome, type Tariff } from '#kit'
import { finishIngest, type IngestPlan, type IngestTerms } from '../../../sql/retrieval/ingest.ts'
import { HASH_MODEL } from '../../../tasks/engines/vectors/hash-embedding.ts'
import {
  checkRead,
  countIngestUnits,
  type IngestCall,
  type ReadDocument,
} from '../../../tasks/products/retrieval/index.ts'
import type { EndingParts } from '../../context.ts'
import { cleanText, cut, describeChunks, embed, requireChunks } from './chunks.ts'
import { openTextEmbedder } from './embedder.ts'

/** Cuts and embeds what was read, and writes it to its baton with the end of the job. */
export const ragIngest: EndingParts = {
  async prepare(context, payload, outcome, tariff) {
    const call = payload.input as IngestCall
    const read = outcome.result as ReadDocument
    const watch = new Stopwatch()
    const text = cleanText(read.text ?? (await readFile(read.path!, 'utf8')))
    checkRead(text)
    const chunks = await cut(call, text)
    requireChunks(chunks)
    const chunkMs = watch.lap()
    const plan = payload.delivery!.plan as IngestPlan
    const embedder = plan.model === HASH_MODEL ? undefined : openTextEmbedder(context)
    const prepared = await embed(chunks, embedder)
    const embedMs = watch.lap()
    const terms = describeChunks(call, { text, chunks, prepared, pages: read.pages, embedder })
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
