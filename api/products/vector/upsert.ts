import { type Price, Problem, usd } from '#kit'
import type { Visitor } from '../../../sql/baton/index.ts'
import { findVectorModel, upsertVectors, type VectorBatch } from '../../../sql/vector/change.ts'
import { measureLength } from '../../../tasks/engines/vectors/block.ts'
import { HASH_DIMENSIONS } from '../../../tasks/engines/vectors/hash-embedding.ts'
import type { ApiContext } from '../../context.ts'
import type { RouteJob } from '../../route.ts'
import { chooseTextModel, embedTexts, type TextModel } from './embedding.ts'
import { type Item, MAX_TEXT_BYTES, type UpsertBody } from './fields.ts'

const BATCH_VECTORS = 100
const EMBEDDED_STEP_BYTES = 10_000
const MAX_METADATA_BYTES = 8_192
const MAX_EMBEDDED_BYTES = 3 * 2 ** 20

export const UPSERT_PRICE: Price<UpsertBody> = {
  unit: 'started 100 vectors, and each started 10,000 bytes of text that is embedded',
  ...{ rateMicros: usd('0.001'), baseMicros: 0n, basis: 'body', minUnits: 1 },
  units: ({ vectors }) => countBatches(vectors) + Math.ceil(measureEmbedded(vectors) / EMBEDDED_STEP_BYTES),
}

function countBatches(vectors: readonly Item[]): number {
  return Math.ceil(vectors.length / BATCH_VECTORS)
}

function measureEmbedded(vectors: readonly Item[]): number {
  if (areSent(vectors)) return 0
  return vectors.reduce((sum, { text = '' }) => sum + Buffer.byteLength(text), 0)
}

/** Whether the caller has sent the floats, so that texts are only kept. */
function areSent(vectors: readonly Item[]): boolean {
  return vectors.some(({ values }) => values !== undefined)
}

/** Checks all that can be known of the items before they are paid for. */
export function checkItems(vectors: readonly Item[]): void {
  const field = areSent(vectors) ? 'values' : 'text'
  const dimensions = vectors.find(({ values }) => values)?.values?.length
  const ids = new Set<string>()
  vectors.forEach((item, index) => {
    if (ids.has(item.id)) throw invalid({ index, reason: 'duplicate', id: item.id })
    ids.add(item.id)
    if (item[field] === undefined) throw invalid({ index, reason: 'missing', field })
    const actual = item.values?.length
    if (actual !== dimensions) throw invalid({ index, reason: 'dimensions', expected: dimensions, actual })
    if (item.values) checkFloats(Float32Array.from(item.values), index)
    checkText(item.text, index)
    checkMetadata(item.metadata ?? {}, index)
  })
  if (measureEmbedded(vectors) > MAX_EMBEDDED_BYTES)
    throw new Problem('BODY_TOO_LARGE', { field: 'text', ceiling: MAX_EMBEDDED_BYTES })
}

function invalid(hints: Record<string, unknown>): Problem {
  return new Problem('VECTOR_INVALID', hints)
}

/** JSON has numbers that no double can be. */
export function checkMetadata(metadata: object, index: number): void {
  const isStorable = Object.values(metadata).every(value => typeof value !== 'number' || Number.isFinite(value))
  if (!isStorable || Buffer.byteLength(JSON.stringify(metadata)) > MAX_METADATA_BYTES)
    throw invalid({ index, reason: 'metadata', maxBytes: MAX_METADATA_BYTES })
}

/** The index is that of the item in its batch. */
export function checkFloats(floats: Float32Array, index?: number): void {
  const reason = floats.every(Number.isFinite) ? measureLength(floats) === 0 && 'zero' : 'nan'
  if (reason) throw invalid({ index, reason })
}

export function checkText(text = '', index?: number): void {
  if (Buffer.byteLength(text) > MAX_TEXT_BYTES) throw invalid({ index, reason: 'text', maxBytes: MAX_TEXT_BYTES })
}

/** Stores what was priced; one statement, which also charges. */
export async function upsert(
  context: ApiContext,
  by: Visitor,
  { vectors, namespace, onConflict, returnIds }: UpsertBody,
  job: RouteJob,
): Promise<object> {
  const isSent = areSent(vectors)
  const texts = vectors.map(({ text = '' }) => text)
  const model = isSent ? undefined : await findTextModel(context, by)
  const prepared = await prepare(context, texts, model)
  const dimensions = vectors[0]!.values?.length ?? prepared[0]?.floats?.length ?? HASH_DIMENSIONS
  const floats = new Float32Array(vectors.length * dimensions)
  const items = vectors.map(({ id, text, metadata = {}, values }, index): VectorBatch['items'][number] => {
    const { words, wordCount, floats: embedded } = prepared[index] ?? { words: {}, wordCount: 0 }
    const vector = values ?? embedded
    if (!vector) throw invalid({ index, field: 'text', reason: 'zero' })
    floats.set(vector, index * dimensions)
    return { id, metadata, words, wordCount, ...(text !== undefined && { text }) }
  })
  const batch = {
    ...{ namespace, onConflict, returnIds, dimensions, items, count: items.length },
    ...{ batches: countBatches(vectors), textModel: model?.name, engine: model?.engine ?? 'sent' },
  }
  return upsertVectors(context.db, job, by, batch, Buffer.from(floats.buffer))
}

/** Which model a baton has matters only where there are several. */
async function findTextModel(context: ApiContext, by: Visitor): Promise<TextModel> {
  return chooseTextModel(context, context.vectors.embedder ? await findVectorModel(context.db, by) : null)
}

async function prepare(context: ApiContext, texts: readonly string[], model: TextModel | undefined) {
  if (texts.every(text => text === '')) return []
  return model ? embedTexts(context, texts, model) : context.vectors.prepareTexts(texts, false)
}
