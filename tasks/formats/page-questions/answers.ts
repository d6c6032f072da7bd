import { type Static, Type } from 'typebox'
import { Box, Confidence } from '../document/box.ts'
import type { AnswerType } from './request.ts'

const Value = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Array(Type.String()), Type.Null()], {
  description: 'null if the page does not answer the question.',
})

export const Answer = Type.Object({
  question: Type.String(),
  answer: Value,
  confidence: Confidence,
  quote: Type.Union([Type.String(), Type.Null()], { description: 'The words of the page that prove the answer.' }),
  box: Type.Union([Box, Type.Null()]),
})

type DescribedAnswer = Static<typeof Answer>

interface ModelAnswers {
  answers: { number: number; answer: DescribedAnswer['answer']; quote: string | null; confidence: number }[]
}

interface PlacedEvidence {
  quote: string
  box: Static<typeof Box>
  confidence: number
}

/** Keeps the answers whose proof is on the page. `unproven` has the numbers of the questions whose answers were dropped. */
export function describeAnswers(
  questions: readonly string[],
  json: unknown,
  { type, minConfidence }: { type: AnswerType; minConfidence: number },
  find: (quote: string) => PlacedEvidence | undefined,
): { answers: DescribedAnswer[]; unproven: number[] } {
  const given = (json as ModelAnswers).answers
  const unproven: number[] = []
  const answers = questions.map((question, index) => {
    const found = given.find(({ number }) => number === index + 1)
    const confidence = clampShare(found?.confidence ?? 0)
    const none = { question, answer: null, confidence, quote: null, box: null }
    if (!found || isEmpty(found.answer)) return none
    const evidence = hasForm(found.answer, type) && found.quote !== null ? find(found.quote) : undefined
    if (!evidence) {
      unproven.push(index + 1)
      return { ...none, confidence: 0 }
    }
    const certainty = Math.min(confidence, Math.round(evidence.confidence * 1000) / 1000)
    if (certainty < minConfidence) return { ...none, confidence: certainty }
    return { question, answer: found.answer, confidence: certainty, quote: evidence.quote, box: evidence.box }
  })
  return { answers, unproven }
}

function isEmpty(answer: DescribedAnswer['answer']): boolean {
  return answer === null || answer === '' || (Array.isArray(answer) && answer.length === 0)
}

function hasForm(answer: DescribedAnswer['answer'], type: AnswerType): boolean {
  if (type !== 'date') return true
  const text = String(answer)
  const date = new Date(`${text}T00:00:00Z`)
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

function clampShare(value: number): number {
  return Math.min(1, Math.max(0, value))
}
