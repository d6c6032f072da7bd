import { Type } from 'typebox'
import { perCall } from '#kit'
import { BILLABLE_AUTH } from '../../../intake/billable.ts'
import { route } from '../../../route.ts'
import { QuotasReply, USE_ERRORS } from '../../baton/index.ts'
import { checkBeforePaying, identifyVectorUser, VectorBaton } from '../admission.ts'
import { EngineReply, MatchReply, QueryBody } from '../fields.ts'
import { checkQuery, query } from '../query.ts'

export default route({
  at: 'POST /v1/baton/{baton}/vectors/query',
  summary: 'Find the vectors of a vector baton that are nearest to a vector, a text or one of them.',
  keywords:
    'search my notes by meaning, semantic search, nearest neighbours, similarity search, vector query, hybrid search, more like this',
  description:
    'The answer has all that was written before. Every vector is compared (`exact` is true), but for a large namespace where the operator has chosen an index: then near ones that the index names are, and `exact` is false. A text is embedded as those of the baton were; `engine` says whether by wording alone (`lexical`). Higher scores are nearer: the cosine, the dot product, or 1/(1+distance) for l2. A call counts as one read of the baton, and what the matches show is drawn from its egress.',
  auth: BILLABLE_AUTH,
  params: VectorBaton,
  body: QueryBody,
  reply: {
    status: 200,
    schema: Type.Object({
      matches: Type.Array(MatchReply),
      count: Type.Integer(),
      exact: Type.Boolean(),
      model: Type.Union([Type.String(), Type.Null()]),
      engine: EngineReply,
      semantic: Type.Optional(
        Type.Boolean({ description: 'Whether the text was compared by its meaning, not by wording alone.' }),
      ),
      tookMs: Type.Number(),
      quotas: QuotasReply,
    }),
  },
  price: perCall('0.001'),
  errors: [
    ...USE_ERRORS,
    'INVALID_PARAM',
    'MISSING_FIELD',
    'CONFLICTING_OPTIONS',
    'PAYMENT_REQUIRED',
    'PRESET_MISMATCH',
    'VECTOR_INVALID',
    'FILTER_INVALID',
    'DIMENSION_MISMATCH',
    'MODEL_MISMATCH',
    'QUOTA_EXHAUSTED',
    'RATE_LIMITED',
    'OUTPUT_TOO_LARGE',
    'TIME_LIMIT_EXCEEDED',
    'BUSY',
    'PROVIDER_UNAVAILABLE',
  ],
  examples: [
    { title: 'By a text', input: { text: 'reset password', topK: 3, hybrid: { alpha: 0.5 } } },
    { title: 'By a vector, in English', input: { vector: [0.1, 0.9], filter: { lang: 'en' } } },
  ],

  async countUnits({ caller, params, body, request }, context) {
    checkQuery(body)
    await checkBeforePaying(context, { caller, params, request }, 'read')
    return 1
  },
  settles: true,
  handle: ({ caller, params, body, request, job }, context) =>
    query(context, identifyVectorUser(context, { caller, params, request }), body, job!),
})
