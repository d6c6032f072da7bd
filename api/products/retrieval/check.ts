import { Problem } from '#kit'
import { compileFilter } from '../../../tasks/engines/vectors/filter.ts'
import { checkCeiling } from '../../../tasks/products/language/index.ts'
import { baseOf } from '../../../tasks/products/retrieval/price.ts'
import type { ApiContext } from '../../context.ts'
import { USE_ERRORS } from '../baton/index.ts'
import { chooseOffer, computeAnswerCeiling, type Question } from './answer.ts'
import type { AnswerBody } from './fields.ts'

/** What can be wrong with any question. */
export const QUESTION_ERRORS = [
  ...USE_ERRORS,
  ...(['INVALID_PARAM', 'PAYMENT_REQUIRED', 'PRESET_MISMATCH', 'QUESTION_EMPTY', 'FILTER_INVALID'] as const),
  ...(['DIMENSION_MISMATCH', 'MODEL_MISMATCH', 'VECTOR_INVALID', 'QUOTA_EXHAUSTED', 'RATE_LIMITED'] as const),
  ...(['TIME_LIMIT_EXCEEDED', 'BUSY', 'CEILING_EXCEEDED', 'CONTEXT_TOO_LONG', 'CONTENT_REFUSED'] as const),
  ...(['OUTPUT_INVALID', 'PROVIDER_UNAVAILABLE', 'PROVIDER_NOT_CONFIGURED'] as const),
] as const

const MAX_CHUNKS_BYTES = 2 ** 20

/** Checks all that can be known of a question before it is paid for. */
export function checkQuestion({ question, filter }: Pick<Question, 'question' | 'filter'>): void {
  if (!/[\p{L}\p{N}]/u.test(question)) throw new Problem('QUESTION_EMPTY')
  if (filter) compileFilter(filter)
}

/** The texts are those of a baton or of the body, one of both. */
export function checkAnswer(body: AnswerBody): void {
  checkQuestion(body)
  const { batonId, chunks, filter, hybrid, namespace } = body
  if (batonId === undefined && !chunks)
    throw new Problem('MISSING_FIELD', { field: 'batonId', oneOf: ['batonId', 'chunks'] })
  if (!chunks) return
  if (batonId !== undefined) throw new Problem('CONFLICTING_OPTIONS', { fields: ['batonId', 'chunks'] })
  const ofBaton = Object.entries({ filter, hybrid, namespace: namespace || undefined }).find(
    ([, value]) => value !== undefined,
  )
  if (ofBaton) throw new Problem('CONFLICTING_OPTIONS', { fields: ['chunks', ofBaton[0]] })
  const repeated = chunks.findIndex(({ id }, index) => chunks.findIndex(other => other.id === id) !== index)
  if (repeated >= 0) throw new Problem('INVALID_PARAM', { field: `chunks.${repeated}.id`, reason: 'It is used twice.' })
  const sizeBytes = chunks.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
  if (sizeBytes > MAX_CHUNKS_BYTES) throw new Problem('BODY_TOO_LARGE', { field: 'chunks', ceiling: MAX_CHUNKS_BYTES })
}

/** The most that an answer costs, in micros: the price, and what a model takes where one is asked. */
export function quoteAnswer(context: ApiContext, question: Question): bigint {
  const offer = chooseOffer(context, question)
  if (!offer && question.method === 'provider')
    throw new Problem('PROVIDER_NOT_CONFIGURED', {
      ...{ capability: 'rag.answer', adapters: ['openai', 'anthropic', 'bedrock'] },
      install: "LLM_PROVIDER=openai LLM_API_KEY=... LLM_VALUE='model 0.4 1.6' npm start",
    })
  const model = offer ? BigInt(computeAnswerCeiling(question, offer)) : 0n
  const ceiling = baseOf(context.settings.ratesOf('rag.answer')) + model
  checkCeiling(question, ceiling)
  return ceiling
}
