import { Type } from 'typebox'
import { BILLABLE_AUTH } from '../../../intake/billable.ts'
import { route } from '../../../route.ts'
import { QuotasReply, USE_ERRORS } from '../../baton/index.ts'
import { checkBeforePaying, identifyVectorUser, VectorBaton } from '../admission.ts'
import { EngineReply, UpsertBody } from '../fields.ts'
import { checkItems, UPSERT_PRICE, upsert } from '../upsert.ts'

export default route({
  at: 'POST /v1/baton/{baton}/vectors',
  summary: 'Write vectors to a vector baton, or texts that are embedded here.',
  keywords: 'upsert embeddings, vector database, index text, semantic store, RAG',
  description:
    'Either all items have values, or all have a text that is embedded, at most 3 MiB together. A call counts as one write of the baton. The first write decides the dimensions and the model, which `model` and `engine` name: without a provider of the operator, texts are compared by their wording (`lexical`), not by meaning.',
  auth: BILLABLE_AUTH,
  params: VectorBaton,
  body: UpsertBody,
  reply: {
    status: 200,
    schema: Type.Object({
      upserted: Type.Integer(),
      skipped: Type.Integer(),
      replaced: Type.Integer({ description: 'How many of those upserted were there before.' }),
      count: Type.Integer({ description: 'How many vectors the baton holds.' }),
      dimensions: Type.Integer(),
      model: Type.String({ description: '`own`: vectors of yours without a name of a model.' }),
      engine: EngineReply,
      bytesUsed: Type.String(),
      batches: Type.Integer({ description: 'Started hundreds of vectors, as they are charged.' }),
      chargedMicros: Type.String(),
      ids: Type.Optional(Type.Array(Type.String())),
      quotas: QuotasReply,
    }),
  },
  price: UPSERT_PRICE,
  errors: [
    ...USE_ERRORS,
    'INVALID_PARAM',
    'PAYMENT_REQUIRED',
    'PRESET_MISMATCH',
    'VECTOR_INVALID',
    'VECTOR_EXISTS',
    'DIMENSION_MISMATCH',
    'MODEL_MISMATCH',
    'QUOTA_EXHAUSTED',
    'RATE_LIMITED',
    'BODY_TOO_LARGE',
    'TIME_LIMIT_EXCEEDED',
    'BUSY',
    'PROVIDER_UNAVAILABLE',
  ],
  examples: [
    { title: 'Your own vectors', input: { vectors: [{ id: 'a', values: [0.1, 0.9], metadata: { lang: 'en' } }] } },
    { title: 'Texts', input: { vectors: [{ id: 'faq-1', text: 'How do I reset my password?' }] } },
  ],

  async countUnits({ caller, params, body, request }, context) {
    checkItems(body.vectors)
    await checkBeforePaying(context, { caller, params, request }, 'write')
    return UPSERT_PRICE.units(body)
  },
  settles: true,
  handle: ({ caller, params, body, request, job }, context) =>
    upsert(context, identifyVectorUser(context, { caller, params, request }), body, job!),
})
