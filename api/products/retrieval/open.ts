import { Threads } from '../../../ops/process/threads.ts'
import type { OpenedProduct } from '../../product-parts.ts'
import { planIngest } from './plan.ts'
import { planDocument } from './plan-document.ts'
import type { AnswerWork, AnswerWorkResult } from './work-thread.ts'

/** The threads that compare questions with texts, and where documents go. */
export default function openRetrieval(): OpenedProduct {
  const answers = new Threads<AnswerWork, AnswerWorkResult>(new URL('work-thread.ts', import.meta.url))
  const plans = { 'bundles.rag-ingest': planIngest, 'bundles.ingest-document': planDocument }
  return { parts: { answers }, calls: { plans }, close: () => answers.close() }
}

declare module '../../context.ts' {
  interface ProductParts {
    answers: Threads<AnswerWork, AnswerWorkResult>
  }
}
