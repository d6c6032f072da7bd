import { classify } from './operations/llm/classify.ts'
import { extract } from './operations/llm/extract.ts'
import { keywords } from './operations/llm/keywords.ts'
import { proofread } from './operations/llm/proofread.ts'
import { repairJsonTask } from './operations/llm/repair-json.ts'
import { rewrite } from './operations/llm/rewrite.ts'
import { sentiment } from './operations/llm/sentiment.ts'
import { summarize } from './operations/llm/summarize.ts'
import { title } from './operations/llm/title.ts'
import { translate } from './operations/llm/translate.ts'
import type { Task } from './task.ts'

export { HASH_MODEL } from '../../engines/vectors/hash-embedding.ts'
export { askModel, type TextUsage } from './ask-model.ts'
export { MAX_TEXT_BYTES } from './input.ts'
export type { ModelOffer, ServiceOffer } from './offer.ts'
export { PROBLEM_FORM } from './openai/problem-form.ts'
export { checkCeiling } from './price.ts'
export { closed, NO_JSON, parseAnswer } from './prompt.ts'
export type { ModelWork } from './task.ts'
export { computeTextCeiling, countTextTokens } from './text-ceiling.ts'

/** The tasks, as `GET /v1/llm/tasks` lists them. */
export const TASKS: readonly Task[] = [
  ...[translate, summarize, extract, classify, proofread, rewrite, sentiment, keywords, title, repairJsonTask],
] as unknown as Task[]
