import { finishQuery } from '../../../../../sql/vector/index.ts'
import { QUERY_PRICE, searchMicrosOf } from '../../../../../tasks/products/retrieval/price.ts'
import { BILLABLE_AUTH } from '../../../../intake/billable.ts'
import { route } from '../../../../route.ts'
import { checkBeforePaying, identifyVectorUser } from '../../../vector/index.ts'
import { answerFrom, rankPassages } from '../../answer.ts'
import { checkQuestion, QUESTION_ERRORS, quoteAnswer } from '../../check.ts'
import { QueryBody, QueryReply } from '../../fields.ts'
import { findPassages } from '../../passages.ts'

export default route({
  at: 'POST /v1/bundles/rag-query',
  summary: 'Find the texts of a vector baton that are about a question, and answer it if wanted.',
  keywords: 'RAG search, semantic search over documents, retrieve chunks, context for a prompt, ask a knowledge base',
  description:
    'The counterpart of bundles/rag-ingest: the texts come whole, the most relevant first, to be read by your own model; with ' +
    '`answer` the question is answered as by rag/answer, at its price. A call counts as one read of the baton, and what the ' +
    'matches show is drawn from its egress.',
  auth: BILLABLE_AUTH,
  body: QueryBody,
  reply: { status: 200, schema: QueryReply },
  price: QUERY_PRICE,
  errors: [...QUESTION_ERRORS],
  examples: [
    {
      title: 'The texts alone',
      input: { batonId: '0198f4a2-7c1e-7d3b-9a55-1f2e3d4c5b6a', question: 'When is low tide?', topK: 3 },
    },
    {
      title: 'With an answer',
      input: { batonId: '0198f4a2-7c1e-7d3b-9a55-1f2e3d4c5b6a', question: 'When is low tide?', answer: true },
    },
  ],

  limitSeconds: 60,
  async quote({ caller, body, request }, context) {
    checkQuestion(body)
    await checkBeforePaying(context, { caller, params: { baton: body.batonId }, request }, 'read')
    return body.answer ? quoteAnswer(context, body) : searchMicrosOf(context.settings.ratesOf('bundles.rag-query'))
  },
  settles: true,
  readCharge: result => BigInt((result as { chargedMicros: string }).chargedMicros),

  async handle({ caller, body, request, job }, context) {
    const { settings, db } = context
    const { batonId, answer: isAnswered, ...question } = body
    const by = identifyVectorUser(context, { caller, params: { baton: batonId }, request })
    const startedMs = performance.now()
    const found = await findPassages(context, by, question)
    const matches = await rankPassages(context, question, found)
    const searchedMs = performance.now()
    const answered = isAnswered && (await answerFrom(context, question, found, settings.ratesOf('rag.answer')))
    const chargeMicros = answered ? answered.chargedMicros : job!.chargeMicros
    const step = (name: string, charged: bigint, ms: number) => ({
      ...{ name, status: 'succeeded', chargedMicros: String(charged), ms: Math.round(ms) },
    })
    const { warnings = [] } = answered || {}
    const result = {
      matches: matches.map(({ id, score, text, metadata }) => ({ id, score, text, ...(metadata && { metadata }) })),
      ...(answered && { answer: answered.answer }),
      steps: [
        step('search', answered ? 0n : chargeMicros, searchedMs - startedMs),
        ...(answered ? [step('answer', chargeMicros, performance.now() - searchedMs)] : []),
      ],
      chargedMicros: String(chargeMicros),
      ...(warnings.length > 0 && { warnings }),
    }
    const bytes = matches.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
    return { ...result, quotas: await finishQuery(db, { ...job!, chargeMicros }, by, bytes, result) }
  },
})
