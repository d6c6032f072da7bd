import type { Tools } from '../../kit/operation.ts'
import { toBox } from '../document/box.ts'
import type { DocumentPage } from '../document/page.ts'
import type { Tier } from '../language/tiers.ts'
import { describeAnswers } from './answers.ts'
import { createFinder } from './evidence.ts'
import { type AnswerType, buildModelRequest, computeModelCeiling } from './request.ts'

interface PageQuestions {
  questions: readonly string[]
  tier: Tier
  answerType: AnswerType
  minConfidence: number
  maxPageBytes: number
}

/** Has a language model answer questions from the text of a page; answers without a proof on the page are dropped. */
export async function askPage(
  page: DocumentPage,
  { questions, tier, answerType: type, minConfidence, maxPageBytes }: PageQuestions,
  languageModel: Tools['languageModel'],
) {
  const asked = { tier, questions, maxPageBytes }
  const request = buildModelRequest(page, asked, type)
  const ceilingMicros = computeModelCeiling(asked)
  const { json, usage } = await languageModel.completeJson({ ...request, tier, ceilingMicros })
  const find = createFinder(page)
  const described = describeAnswers(questions, json, { type, minConfidence }, quote => {
    const evidence = find(quote)
    return evidence && { ...evidence, box: toBox(evidence.box, page) }
  })
  return { ...described, usage }
}

export function leaveUnanswered(questions: readonly string[]) {
  return questions.map(question => ({ question, answer: null, confidence: 0, quote: null, box: null }))
}
