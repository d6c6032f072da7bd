import type { Rates, Warning } from '#kit'
import { checkCitations } from '../../../tasks/engines/answers/citations.ts'
import type { Quote } from '../../../tasks/engines/answers/extract.ts'
import { askModel, computeTextCeiling, type ModelOffer } from '../../../tasks/products/language/index.ts'
import { ANSWER, type ModelAnswer, type Style } from '../../../tasks/products/retrieval/ask.ts'
import { baseOf, computeSearchMicros } from '../../../tasks/products/retrieval/price.ts'
import type { ApiContext } from '../../context.ts'
import type { AnswerBody } from './fields.ts'
import { fitPassages, limitContext } from './fit.ts'
import { type FoundPassage, searchText } from './passages.ts'

export type Question = Omit<AnswerBody, 'batonId' | 'chunks'>

const MIN_WORDING_SCORE = 0.15
const MIN_MEANING_SCORE = 0.3
const THREAD_LIMIT_MS = 20_000
const MODEL_LIMIT_MS = 50_000
const ENGINE = 'svc-extract-1'
const SENTENCES: Record<Style, number> = { short: 2, detailed: 3, bullets: 3 }

interface Relevant extends FoundPassage {
  score: number
}

/** What the caller is told, what it costs, and the texts that were read for it. */
interface Answered {
  answer: object
  read: readonly Relevant[]
  chargedMicros: bigint
  warnings: readonly Warning[]
}

interface Judged {
  relevant: Relevant[]
  quotes: Quote[]
  share: number
}

/** The answer to a question from the texts that were found for it, and what it costs. */
export async function answerFrom(
  context: ApiContext,
  question: Question,
  found: readonly FoundPassage[],
  rates: Rates | undefined,
): Promise<Answered> {
  const offer = chooseOffer(context, question)
  const { relevant, quotes, share } = await judge(context, question, found, offer ? 0 : SENTENCES[question.style])
  if (relevant.length === 0) return unanswered('NO_RELEVANT_CONTEXT', relevant, offer, computeSearchMicros(rates))
  if (offer) return askAbout(context, question, relevant, { offer, baseMicros: baseOf(rates) })
  if (quotes.length === 0) return unanswered('NO_RELEVANT_CONTEXT', relevant, offer, computeSearchMicros(rates))
  return {
    ...{ read: relevant, chargedMicros: baseOf(rates), warnings: [] },
    answer: {
      ...{ answer: joinQuotes(quotes, question.style), answered: true, confidence: rateExtract(share) },
      ...showSources(quotes, relevant),
      ...{ method: 'extractive', engine: ENGINE, quality: 'basic' },
    },
  }
}

/** The model that answers, if one does. */
export function chooseOffer(
  { offers }: Pick<ApiContext, 'offers'>,
  { method, tier }: Question,
): ModelOffer | undefined {
  return method === 'extractive' ? undefined : offers.language?.[tier]
}

/** The most that a model takes for a question, whatever is found. */
export function computeAnswerCeiling(question: Question, offer: ModelOffer): number {
  const bytes = limitContext(question, offer)
  const { question: text, style, history = [], language } = question
  const promptBytes = Buffer.byteLength(text)
  const call = { text, params: { passages: [], history, style }, language, bytes: bytes + promptBytes }
  return computeTextCeiling(ANSWER as never, call, offer)
}

/** The texts by how relevant they are, the best first. */
export async function rankPassages(context: ApiContext, question: Question, found: readonly FoundPassage[]) {
  const { relevant } = await judge(context, { ...question, minScore: question.minScore ?? 0 }, found, 0)
  return relevant
}

/** Finds which texts are relevant, and if there is no model the sentences that answer. */
async function judge(
  { answers }: ApiContext,
  question: Question,
  found: readonly FoundPassage[],
  sentences: number,
): Promise<Judged> {
  if (found.length === 0) return { relevant: [], quotes: [], share: 0 }
  const isNear = found.every(({ nearness }) => nearness !== undefined)
  const { minScore = isNear ? MIN_MEANING_SCORE : MIN_WORDING_SCORE, topK, language } = question
  const scores = isNear ? found.map(({ nearness }) => Math.max(0, nearness!)) : undefined
  const text = searchText(question)
  const passages = found.map(({ text: passage }, index) => ({ id: String(index), text: passage }))
  const work = { question: text, language, passages, sentences, minScore, limit: topK, ...(scores && { scores }) }
  const judged = await answers.perform(work, AbortSignal.timeout(THREAD_LIMIT_MS))
  const relevant = judged.relevant.map(({ index, score }) => ({ ...found[index]!, score: round(score) }))
  const quotes = judged.quotes.map(quote => ({ ...quote, id: found[Number(quote.id)]!.id }))
  return { relevant, quotes, share: judged.share }
}

async function askAbout(
  { localTools }: ApiContext,
  question: Question,
  relevant: readonly Relevant[],
  { offer, baseMicros }: { offer: ModelOffer; baseMicros: bigint },
) {
  const { question: text, tier, style, history = [], language, requireCitations } = question
  const { shown, warnings } = fitPassages(relevant, limitContext(question, offer))
  const signal = AbortSignal.timeout(MODEL_LIMIT_MS)
  const languageModel = localTools.languageModel!({ signal, deadlineMs: performance.now() + MODEL_LIMIT_MS })
  const call = { text, params: { passages: shown, history, style }, language, tier, offer }
  const { result, usage } = await askModel({ model: ANSWER as never }, call, { languageModel: languageModel as never })
  const { answer, citations } = result as ModelAnswer
  const checked = checkCitations(shown, citations)
  const byRef = new Map(relevant.map(({ id }, index) => [`p${index + 1}`, id]))
  const quotes = checked.quotes.map(quote => ({ ...quote, id: byRef.get(quote.id)! }))
  const common = { method: 'provider', engine: usage.model, usage: { ...usage, markupPct: offer.markupPct } } as const
  const charge = {
    warnings: [...warnings, ...warnOf(checked)],
    read: relevant,
    chargedMicros: baseMicros + BigInt(usage.chargedMicros),
  }
  const isProven = quotes.length > 0 || !requireCitations
  if (answer === null || !isProven) {
    const reason = answer === null ? 'NOT_IN_CONTEXT' : 'NO_VERIFIED_CITATION'
    return { ...charge, answer: { ...noAnswer(reason, relevant), ...common } }
  }
  const confidence = rateClaims(checked, quotes.length)
  return { ...charge, answer: { answer, answered: true, confidence, ...showSources(quotes, relevant), ...common } }
}

function showSources(quotes: readonly Quote[], relevant: readonly Relevant[]) {
  const byId = new Map(relevant.map(passage => [passage.id, passage]))
  const used = new Set(quotes.map(({ id }) => id))
  const sources = quotes.map(({ id, quote, start, end }) => {
    const { score, metadata } = byId.get(id)!
    return { id, score, quote, start, end, ...(metadata && { metadata }), verified: true }
  })
  return { sources, unusedSources: relevant.map(({ id }) => id).filter(id => !used.has(id)) }
}

type Reason = 'NO_RELEVANT_CONTEXT' | 'NOT_IN_CONTEXT' | 'NO_VERIFIED_CITATION'

function noAnswer(reason: Reason, relevant: readonly Relevant[]) {
  return { answer: null, answered: false, reason, confidence: 'low', ...showSources([], relevant) } as const
}

function unanswered(reason: Reason, relevant: Relevant[], offer: ModelOffer | undefined, chargedMicros: bigint) {
  const by = offer
    ? { method: 'provider', engine: offer.model }
    : { method: 'extractive', engine: ENGINE, quality: 'basic' }
  return { read: relevant, chargedMicros, warnings: [], answer: { ...noAnswer(reason, relevant), ...by } }
}

function joinQuotes(quotes: readonly Quote[], style: Style): string {
  const lines = quotes.map(({ quote }) => quote.replaceAll(/\s+/g, ' '))
  return style === 'bullets' ? lines.map(line => `- ${line}`).join('\n') : lines.join(' ')
}

function rateExtract(share: number): 'high' | 'medium' | 'low' {
  if (share >= 0.85) return 'high'
  return share >= 0.6 ? 'medium' : 'low'
}

function rateClaims({ moved, dropped }: { moved: number; dropped: number }, proven: number): 'high' | 'medium' | 'low' {
  if (proven === 0 || dropped > proven) return 'low'
  return moved + dropped > 0 ? 'medium' : 'high'
}

function warnOf({ moved, dropped }: { moved: number; dropped: number }) {
  return [
    ...(moved > 0
      ? [{ code: 'CITATION_MOVED', message: `${moved} quotes are of another text than the model said.` }]
      : []),
    ...(dropped > 0
      ? [{ code: 'CITATION_DROPPED', message: `${dropped} quotes are in no text and were left out.` }]
      : []),
  ]
}

function round(score: number): number {
  return Math.round(score * 1_000) / 1_000
}
