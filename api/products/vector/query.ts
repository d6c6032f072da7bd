import { Problem } from '#kit'
import type { Visitor } from '../../../sql/baton/index.ts'
import {
  type FetchedVector,
  fetchVectors,
  findCandidates,
  finishQuery,
  type OpenedIndex,
  openIndex,
  rankWords,
  type SearchTerms,
} from '../../../sql/vector/search.ts'
import type { VectorBlock } from '../../../tasks/engines/vectors/block.ts'
import { compileFilter } from '../../../tasks/engines/vectors/filter.ts'
import { HASH_DIMENSIONS, HASH_MODEL } from '../../../tasks/engines/vectors/hash-embedding.ts'
import type { Scored } from '../../../tasks/engines/vectors/score.ts'
import { countNeeded, HYBRID_DEPTH, type VectorSearch } from '../../../tasks/engines/vectors/search.ts'
import type { ApiContext } from '../../context.ts'
import type { RouteJob } from '../../route.ts'
import { requireOneOf } from './admission.ts'
import { chooseTextModel, type Engine, embedTexts, type TextModel } from './embedding.ts'
import type { QueryBody } from './fields.ts'
import { pickNearest, pickPassing } from './nearest.ts'
import { showFloats } from './show.ts'
import { checkFloats, checkText } from './upsert.ts'

const MAX_MMR_MATCHES = 200
const MAX_SHOWN_BYTES = 4 * 2 ** 20
const MAX_ROUNDS = 4
const MAX_WORDS = 32

/** Checks all that can be known of a query before it is paid for. */
export function checkQuery(body: QueryBody): void {
  const { vector, text, filter, hybrid, mmr, offset, topK, minScore } = body
  requireOneOf(body, ['vector', 'text', 'id'])
  if (vector) checkFloats(Float32Array.from(vector))
  if (filter) compileFilter(filter)
  for (const words of [text, hybrid?.text]) checkText(words)
  if (hybrid && (hybrid.text ?? text) === undefined)
    throw new Problem('MISSING_FIELD', { field: 'hybrid.text', reason: 'There are no words to look for.' })
  if (mmr && offset + topK > MAX_MMR_MATCHES)
    throw new Problem('INVALID_PARAM', { field: 'mmr', reason: `offset and topK are at most ${MAX_MMR_MATCHES}.` })
  if (!Number.isFinite(minScore ?? 0)) throw new Problem('INVALID_PARAM', { field: 'minScore' })
}

/** Finds what is nearest. The read is drawn and charged with the answer, in one statement. */
export async function query(context: ApiContext, by: Visitor, body: QueryBody, job: RouteJob): Promise<object> {
  const startedMs = performance.now()
  const { index, engine, scored, isExact, fetched } = await find(context, by, body).catch((error: unknown) => {
    throw isTimeout(error) ? new Problem('TIME_LIMIT_EXCEEDED') : error
  })
  const shownBytes = fetched.reduce((sum, { shown_bytes }) => sum + shown_bytes, 0)
  if (shownBytes > MAX_SHOWN_BYTES)
    throw new Problem('OUTPUT_TOO_LARGE', { limit: MAX_SHOWN_BYTES, actual: shownBytes, field: 'topK' })
  const byNumber = new Map(fetched.map(vector => [vector.number, vector]))
  const matches = scored.flatMap(({ id, score }) => {
    const vector = byNumber.get(id)
    return vector ? [showMatch(vector, score)] : []
  })
  const tookMs = Math.round((performance.now() - startedMs) * 10) / 10
  const result = {
    matches,
    count: matches.length,
    exact: isExact,
    model: index.model,
    engine,
    ...describeMeaning(engine),
    tookMs,
  }
  const quotas = await finishQuery(context.db, job, by, shownBytes, result)
  return { ...result, quotas }
}

/** What vectors of callers stand for is known to them alone. */
function describeMeaning(engine: Engine): { semantic?: boolean } {
  return engine === 'sent' ? {} : { semantic: engine === 'provider' }
}

/** Filters and words are looked for in the database, which ends a statement that takes too long. */
function isTimeout(error: unknown): boolean {
  return error instanceof Error && (error as { code?: string }).code === '57014'
}

interface QueryMatches {
  index: OpenedIndex
  engine: Engine
  scored: Scored[]
  isExact: boolean
  fetched: FetchedVector[]
}

const NOTHING = { scored: [], isExact: true }

/** A vector that is replaced while it is searched has another number, so the search is done again. */
export async function find(context: ApiContext, by: Visitor, body: QueryBody): Promise<QueryMatches> {
  const shown = { metadata: body.includeMetadata, text: body.includeText, values: body.includeValues }
  for (let round = 1; ; round++) {
    const index = await openIndex(context.db, by, readTerms(context, body))
    const model = body.text === undefined ? undefined : requireTextModel(context, index)
    const { scored, isExact } = index.count === 0 ? NOTHING : await search(context, index, body, model)
    const numbers = scored.map(({ id }) => id)
    const fetched =
      numbers.length === 0 ? [] : await fetchVectors(context.db, index.batonId, body.namespace, { numbers, shown })
    if (fetched.length === scored.length || round === MAX_ROUNDS)
      return { index, engine: model?.engine ?? 'sent', scored, isExact, fetched }
  }
}

/** With a provider, the model of a text is known only once that of the baton is. */
function readTerms({ vectors }: ApiContext, { namespace, vector, text, id }: QueryBody): SearchTerms {
  if (text !== undefined)
    return vectors.embedder ? { namespace } : { namespace, textModel: HASH_MODEL, dimensions: HASH_DIMENSIONS }
  return { namespace, ...(vector ? { dimensions: vector.length } : { id: id! }) }
}

interface Compared {
  scored: Scored[]
  isExact: boolean
}

async function search(
  context: ApiContext,
  index: OpenedIndex,
  body: QueryBody,
  model: TextModel | undefined,
): Promise<Compared> {
  const { vectors } = context
  const { metric, likeNumber } = index
  const { groupBy, hybrid, mmr, minScore, offset, topK } = body
  const query = model ? await embedQuery(context, index, body.text!, model) : readQuery(index, body)
  const words = hybrid && (await findWords(context, index, body))
  const search = {
    ...{ metric, query, offset, topK },
    ...(groupBy && { groupSize: groupBy.size }),
    ...(words && { words: { ids: words, alpha: hybrid.alpha } }),
    ...(mmr && { mmrLambda: mmr.lambda }),
    ...(minScore !== undefined && { minScore }),
    ...(likeNumber !== null && { except: likeNumber }),
  }
  const nearest = await findNearest(context, index, body, search)
  if (nearest) return { scored: await vectors.search({ ...search, blocks: nearest }), isExact: false }
  return { scored: await searchAll(context, index, body, search), isExact: true }
}

type Search = Omit<VectorSearch, 'blocks'>

/** What an index names is compared where that is enough: groups and words may need any of the vectors. */
async function findNearest(
  context: ApiContext,
  index: OpenedIndex,
  { namespace, filter: written, groupBy, hybrid }: QueryBody,
  search: Search,
): Promise<VectorBlock[] | undefined> {
  if (groupBy || hybrid || !index.space) return undefined
  const filter = written && { written, path: compileFilter(written) }
  const needed = countNeeded(search) + (search.except === undefined ? 0 : 1)
  return pickNearest(context, index, { namespace, query: search.query, needed, filter })
}

/** Compares all vectors of the namespace that a filter lets pass. */
async function searchAll(
  context: ApiContext,
  index: OpenedIndex,
  { namespace, filter: written, groupBy }: QueryBody,
  search: Search,
): Promise<Scored[]> {
  const { db, vectors } = context
  const filter = written && compileFilter(written)
  if (filter && index.space && !groupBy) {
    const blocks = await pickPassing(context, index, namespace, filter)
    if (blocks) return vectors.search({ ...search, blocks })
  }
  const narrowed =
    filter || groupBy ? await findCandidates(db, index.batonId, namespace, { filter, group: groupBy?.field }) : {}
  return vectors.memory.withVectors(index, namespace, blocks => vectors.search({ ...search, ...narrowed, blocks }))
}

function readQuery(index: OpenedIndex, body: QueryBody): Float32Array {
  if (body.vector) return Float32Array.from(body.vector)
  const bytes = Uint8Array.from(Buffer.from(index.likeValues!, 'hex'))
  return new Float32Array(bytes.buffer)
}

function requireTextModel(context: ApiContext, { model: indexModel }: OpenedIndex): TextModel {
  const model = chooseTextModel(context, indexModel)
  const { name: queryModel } = model
  if (indexModel === null || indexModel === queryModel) return model
  const instead = `Send vectors of the model ${indexModel}, or use another vector baton.`
  throw new Problem('MODEL_MISMATCH', { indexModel, queryModel, instead })
}

async function embedQuery(
  context: ApiContext,
  { dimensions }: OpenedIndex,
  text: string,
  model: TextModel,
): Promise<Float32Array> {
  const [prepared] = text.trim() === '' ? [] : await embedTexts(context, [text], model, 'query')
  const floats = prepared?.floats
  if (!floats) throw new Problem('VECTOR_INVALID', { field: 'text', reason: 'zero' })
  if (floats.length !== dimensions)
    throw new Problem('DIMENSION_MISMATCH', { expected: dimensions, actual: floats.length })
  return floats
}

async function findWords(
  { db, vectors }: ApiContext,
  index: OpenedIndex,
  { namespace, hybrid, text, filter: written }: QueryBody,
): Promise<Int32Array> {
  const [prepared] = await vectors.prepareTexts([hybrid!.text ?? text!], false)
  const words = Object.keys(prepared!.words)
  if (words.length === 0) return new Int32Array()
  if (words.length > MAX_WORDS)
    throw new Problem('INVALID_PARAM', { field: 'hybrid.text', words: words.length, maxWords: MAX_WORDS })
  const filter = written && compileFilter(written)
  const kept = await vectors.words.open(index, namespace)
  const { batonId, likeNumber, textCount, wordCount } = index
  const ranking = { words, limit: HYBRID_DEPTH }
  if (!kept) return without(likeNumber, await rankWords(db, batonId, namespace, { ...ranking, filter }))
  const passing = filter === undefined ? {} : await findCandidates(db, batonId, namespace, { filter, group: undefined })
  return without(likeNumber, kept.rank({ ...ranking, ...passing, textCount, wordCount }))
}

function without(number: number | null, ranked: Int32Array): Int32Array {
  return ranked.filter(other => other !== number)
}

function showMatch({ id, metadata, body, floats }: FetchedVector, score: number) {
  return {
    ...{ id, score },
    ...(metadata && { metadata }),
    ...(body !== null && { text: body }),
    ...(floats && { values: showFloats(floats) }),
  }
}
