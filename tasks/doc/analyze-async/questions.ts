import { type Static, Type } from 'typebox'
import { Problem } from '#kit'
import type { DocumentPage } from '../../formats/document/page.ts'
import type { LanguageUsage } from '../../formats/language/usage.ts'
import { Answer } from '../../formats/page-questions/answers.ts'
import { askPage } from '../../formats/page-questions/ask.ts'
import type { Tools } from '../../kit/operation.ts'
import type { planAnalysis } from './price.ts'

/** The answer to a question in the whole document. */
export const DocumentAnswer = Type.Object({
  ...Answer.properties,
  page: Type.Optional(Type.Integer({ minimum: 1, description: 'Where the proof stands.' })),
})

type PageAnswer = Static<typeof Answer>
type Usage = Static<typeof LanguageUsage>

export interface PageAnswers {
  answers?: PageAnswer[]
  usage?: Usage
  questionError?: { code: string; message: string }
}

type Asked = NonNullable<ReturnType<typeof planAnalysis>['asked']>

/** A page that cannot be asked still has all else that was found on it. */
export async function askOnePage(
  page: DocumentPage,
  asked: Asked,
  languageModel: Tools['languageModel'],
): Promise<PageAnswers> {
  if (page.lines.length === 0) return {}
  try {
    const { answers, usage } = await askPage(page, { ...asked, answerType: 'text', minConfidence: 0 }, languageModel)
    return { answers, usage }
  } catch (error) {
    if (!(error instanceof Problem) || !PAGE_FAULTS.has(error.code)) throw error
    return { questionError: { code: error.code, message: error.message } }
  }
}

const PAGE_FAULTS = new Set(['CONTEXT_TOO_LONG', 'CONTENT_REFUSED', 'OUTPUT_INVALID', 'PROVIDER_UNAVAILABLE'])

/** Of the answers of all pages, the one that is most certain. */
export function chooseAnswers(
  questions: readonly string[],
  pages: readonly { page: number; answers?: readonly PageAnswer[] }[],
): Static<typeof DocumentAnswer>[] {
  return questions.map((question, index) => {
    const none = { question, answer: null, confidence: 0, quote: null, box: null }
    const given = pages.flatMap(({ page, answers }) => {
      const answer = answers?.[index]
      return answer && answer.answer !== null ? [{ ...answer, page }] : []
    })
    return given.reduce<Static<typeof DocumentAnswer>>(
      (best, answer) => (answer.confidence > best.confidence || best.answer === null ? answer : best),
      none,
    )
  })
}

/** What the language model took for all pages. */
export function sumUsage(usages: readonly Usage[]): Usage | undefined {
  const [first] = usages
  if (!first) return undefined
  const sum = (name: 'inputTokens' | 'outputTokens' | 'providerCostMicros' | 'chargedMicros' | 'ceilingMicros') =>
    usages.reduce((total, usage) => total + usage[name], 0)
  return {
    ...first,
    inputTokens: sum('inputTokens'),
    outputTokens: sum('outputTokens'),
    providerCostMicros: sum('providerCostMicros'),
    chargedMicros: sum('chargedMicros'),
    ceilingMicros: sum('ceilingMicros'),
  }
}
