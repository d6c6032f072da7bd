import { finishAnswer } from '../../../../sql/retrieval/answer.ts'
import { finishQuery } from '../../../../sql/vector/index.ts'
import { ANSWER_PRICE } from '../../../../tasks/products/retrieval/price.ts'
import { BILLABLE_AUTH } from '../../../intake/billable.ts'
import { route } from '../../../route.ts'
import { checkBeforePaying, identifyVectorUser } from '../../vector/index.ts'
import { answerFrom } from '../answer.ts'
import { checkAnswer, QUESTION_ERRORS, quoteAnswer } from '../check.ts'
import { AnswerBody, AnswerReply } from '../fields.ts'
import { findPassages } from '../passages.ts'

export default route({
  at: 'POST /v1/rag/answer',
  summary: 'Answer a question from documents, with the words that prove it.',
  keywords:
    'RAG, retrieval augmented generation, ask my documents, chat with a pdf, question answering, answer questions over my documents, grounded answer, citations, knowledge base',
  description:
    'Searches a vector baton, or texts in the body, and answers from what it finds. Every quote is word for word in a source; ' +
    'what a model cites that is not there is left out. Where nothing relevant is found, no model is asked, the answer is null ' +
    'and the call costs 0.002 USD. Without a model up to three sentences of the sources are the answer. A search counts as one ' +
    'read of the baton, and what was read for the answer is drawn from its egress.',
  auth: BILLABLE_AUTH,
  body: AnswerBody,
  reply: { status: 200, schema: AnswerReply },
  price: ANSWER_PRICE,
  errors: [...QUESTION_ERRORS, ...(['MISSING_FIELD', 'CONFLICTING_OPTIONS', 'BODY_TOO_LARGE'] as const)],
  examples: [
    {
      title: 'From texts in the body',
      input: {
        question: 'When is low tide?',
        chunks: [
          { id: 'log-1', text: 'Low tide is at six in the morning. The harbour is closed at night.' },
          { id: 'log-2', text: 'Boats are painted in spring.' },
        ],
        method: 'extractive',
      },
    },
  ],

  limitSeconds: 60,
  async quote({ caller, body, request }, context) {
    checkAnswer(body)
    if (body.batonId !== undefined)
      await checkBeforePaying(context, { caller, params: { baton: body.batonId }, request }, 'read')
    return quoteAnswer(context, body)
  },
  settles: true,
  readCharge: result => BigInt((result as { chargedMicros: string }).chargedMicros),

  async handle({ caller, body, request, job }, context) {
    const { db, settings } = context
    const { batonId, chunks = [], ...question } = body
    const by =
      batonId === undefined ? undefined : identifyVectorUser(context, { caller, params: { baton: batonId }, request })
    const found = by ? await findPassages(context, by, question) : chunks.map(chunk => ({ ...chunk, sizeBytes: 0 }))
    const { answer, read, chargedMicros, warnings } = await answerFrom(
      context,
      question,
      found,
      settings.ratesOf('rag.answer'),
    )
    const charged = { ...job!, chargeMicros: chargedMicros }
    const result = { ...answer, chargedMicros: String(chargedMicros), ...(warnings.length > 0 && { warnings }) }
    if (by) {
      const bytes = read.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
      return { ...result, quotas: await finishQuery(db, charged, by, bytes, result) }
    }
    await finishAnswer(db, charged, result)
    return result
  },
})
