import { Type } from 'typebox'
import { Choice, define, exactlyOne, type Price, usd, type Warning } from '#kit'
import { readPage } from '../formats/document/page.ts'
import { TIERS, type Tier } from '../formats/language/tiers.ts'
import { LanguageUsage } from '../formats/language/usage.ts'
import { Answer } from '../formats/page-questions/answers.ts'
import { askPage, leaveUnanswered } from '../formats/page-questions/ask.ts'
import { ANSWER_TYPES, computeModelCeiling, estimateModelCost } from '../formats/page-questions/request.ts'
import { choosePage, NO_TEXT_FOUND, PAGE_ERRORS, pageFields } from './schema.ts'

const MAX_PAGE_BYTES = 32_000

const Question = Type.String({ minLength: 1, maxLength: 500 })

type QuestionInput = { question?: string; questions?: string[]; tier: Tier }

const readAsked = ({ question, questions, tier }: QuestionInput) => ({
  tier,
  maxPageBytes: MAX_PAGE_BYTES,
  questions: questions ?? (question === undefined ? [] : [question]),
})

const PRICE: Price<QuestionInput> = {
  unit: 'call',
  rateMicros: usd('0.015'),
  baseMicros: 0n,
  basis: 'body',
  units: () => 1,
  minUnits: 1,
  extraMicros: input => BigInt(computeModelCeiling(readAsked(input))),
  expectedExtraMicros: input => BigInt(estimateModelCost(readAsked(input))),
  note: 'What the language model of the tier takes is added: the most is held, and what it took is charged, see `usage`.',
}

export default define({
  summary: 'Answer questions about a page of a document.',
  keywords:
    'document question answering, docvqa, chat with pdf, ask a pdf, find in document, llm, extract a value, lookup',
  description:
    'A language model answers from the text of the page alone. Each answer has the words that prove it, as they are on the ' +
    'page, with their place; an answer whose words are not on the page is dropped. Text on the page that looks like ' +
    'instructions is not followed.',
  price: PRICE,
  uses: ['languageModel', 'pageRenderer', 'poppler', 'qpdf', 'sharp', 'tesseract'],
  limitSeconds: 120,
  input: Type.Object({
    ...pageFields,
    question: Type.Optional(Question),
    questions: Type.Optional(
      Type.Array(Question, { minItems: 1, maxItems: 15, description: 'Instead of `question`.' }),
    ),
    tier: Choice(TIERS, { default: 'value', description: 'How good the language model is.' }),
    answerType: Choice(ANSWER_TYPES, { default: 'text', description: 'What the answers are.' }),
  }),
  output: Type.Object({ answers: Type.Array(Answer), usage: Type.Optional(LanguageUsage) }),
  errors: [
    ...PAGE_ERRORS,
    'MISSING_FIELD',
    'CONFLICTING_OPTIONS',
    'CONTEXT_TOO_LONG',
    'CONTENT_REFUSED',
    'OUTPUT_INVALID',
    'PROVIDER_NOT_CONFIGURED',
    'PROVIDER_UNAVAILABLE',
  ],
  examples: [
    {
      title: 'A question about a letter',
      input: { file: 'sample:letter.pdf', page: 1, question: 'Who wrote the report?' },
    },
  ],

  async run(input, { languageModel, ...tools }) {
    exactlyOne(input, ['question', 'questions'])
    const { file, languages, password, minConfidence, answerType } = input
    const page = await readPage({ file, page: choosePage(file, input.page), languages, password, minConfidence }, tools)
    const asked = readAsked(input)
    if (page.lines.length === 0) {
      const answers = leaveUnanswered(asked.questions)
      return { result: { answers }, baseMicros: 0n, warnings: [NO_TEXT_FOUND] }
    }
    const { answers, unproven, usage } = await askPage(page, { ...asked, answerType, minConfidence }, languageModel)
    const baseMicros = BigInt(usage.chargedMicros)
    return { result: { answers, usage }, baseMicros, warnings: unproven.map(warnOfMissingProof) }
  },
})

function warnOfMissingProof(question: number): Warning {
  const message = `The answer to question ${question} was dropped: the words that should prove it are not on the page.`
  return { code: 'EVIDENCE_NOT_FOUND', message }
}
