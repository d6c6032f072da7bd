import type { Visitor } from '../../../sql/baton/index.ts'
import { readQuestion } from '../../../tasks/engines/answers/question.ts'
import type { Turn } from '../../../tasks/products/retrieval/ask.ts'
import type { ApiContext } from '../../context.ts'
import { findMatches, type QueryBody } from '../vector/index.ts'
import type { AnswerBody } from './fields.ts'

/** A text that may have the answer. */
export interface FoundPassage {
  id: string
  text: string
  metadata?: Record<string, unknown>
  /** How near its vector is in meaning; undefined where wording decides. */
  nearness?: number
  /** What is drawn from the egress of its baton. */
  sizeBytes: number
}

/** More are looked at than are read, because how they are ranked by wording is only known once their texts are there. */
const WORDING_POOL = 4
const MAX_MATCHES = 200
const MAX_SEARCH_WORDS = 32
/** A question with fewer words of its own goes on from what was asked before. */
const LEAST_TERMS = 2

export type Asked = Pick<AnswerBody, 'question' | 'namespace' | 'filter' | 'hybrid' | 'topK' | 'language'> & {
  history?: readonly Turn[]
}

/** The texts of a baton that are nearest to a question, found as a query of vectors finds them. */
export async function findPassages(context: ApiContext, by: Visitor, asked: Asked): Promise<FoundPassage[]> {
  const text = searchText(asked)
  const words = [...readQuestion(text, asked.language).terms].slice(0, MAX_SEARCH_WORDS).join(' ')
  const isMeaning = context.vectors.embedder !== undefined
  const ask = (hybrid: QueryBody['hybrid'], topK: number) =>
    findMatches(context, by, { ...PLAIN, text, topK, hybrid, namespace: asked.namespace, filter: asked.filter })
  const alpha = asked.hybrid?.alpha ?? 0.5
  // Without words no text is looked through, which is most of the time that a search takes.
  const hybrid = alpha === 1 ? undefined : { alpha, text: words }
  const byWording = () => ask(hybrid, Math.min(MAX_MATCHES, WORDING_POOL * asked.topK))
  const first = isMeaning && !asked.hybrid ? await ask(undefined, asked.topK) : await byWording()
  const found = first.engine === 'lexical' && isMeaning && !asked.hybrid ? await byWording() : first
  const scores = new Map(found.scored.map(({ id, score }, rank) => [id, { score, rank }]))
  const isNear = found.engine === 'provider' && !asked.hybrid
  return found.fetched
    .toSorted((one, other) => scores.get(one.number)!.rank - scores.get(other.number)!.rank)
    .flatMap(({ id, number, body, metadata, shown_bytes: sizeBytes }) => {
      if (body === null || body.trim() === '') return []
      const nearness = isNear ? scores.get(number)!.score : undefined
      return [{ id, text: body, ...(metadata && { metadata }), ...(nearness !== undefined && { nearness }), sizeBytes }]
    })
}

const PLAIN = { offset: 0, includeValues: false, includeMetadata: true, includeText: true }

/** What is looked for: the question, after the one before it where it says little by itself. */
export function searchText({
  question,
  history = [],
  language,
}: Pick<Asked, 'question' | 'history' | 'language'>): string {
  const before = history.findLast(({ role }) => role === 'user')?.content
  if (before === undefined || readQuestion(question, language).terms.size > LEAST_TERMS) return question
  return `${before}\n${question}`
}
