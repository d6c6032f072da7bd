import { Type } from 'typebox'
import { deleteVectors } from '../../../../sql/vector/change.ts'
import { compileFilter } from '../../../../tasks/engines/vectors/filter.ts'
import { route } from '../../../route.ts'
import { QuotasReply, USE_ERRORS, WRITER_AUTH } from '../../baton/index.ts'
import { identifyVectorUser, requireOneOf, VectorBaton } from '../admission.ts'
import { Filter, Namespace, VectorId } from '../fields.ts'

export default route({
  at: 'POST /v1/baton/{baton}/vectors/delete',
  summary: 'Delete vectors of a vector baton by their ids, by a filter, or all of a namespace.',
  keywords:
    'remove embeddings, forget vectors, clear namespace, delete a document from a knowledge base, remove a document from rag',
  description: 'It is free, and counts as one write of the baton.',
  auth: WRITER_AUTH,
  params: VectorBaton,
  body: Type.Object(
    {
      ids: Type.Optional(Type.Array(VectorId, { minItems: 1, maxItems: 1_000 })),
      filter: Type.Optional(Filter),
      all: Type.Optional(Type.Literal(true, { description: 'All vectors of the namespace.' })),
      namespace: Namespace,
    },
    { additionalProperties: false },
  ),
  reply: {
    status: 200,
    schema: Type.Object({
      deleted: Type.Integer(),
      count: Type.Integer({ description: 'How many vectors the baton holds.' }),
      bytesUsed: Type.String(),
      quotas: QuotasReply,
    }),
  },
  errors: [
    ...USE_ERRORS,
    'INVALID_PARAM',
    'MISSING_FIELD',
    'CONFLICTING_OPTIONS',
    'PRESET_MISMATCH',
    'FILTER_INVALID',
    'QUOTA_EXHAUSTED',
    'RATE_LIMITED',
  ],
  examples: [
    { title: 'Two of them', input: { ids: ['a', 'b'] } },
    { title: 'By a filter', input: { filter: { docId: 'manual' } } },
  ],

  handle({ caller, params, body, request }, context) {
    const by = identifyVectorUser(context, { caller, params, request })
    requireOneOf(body, ['ids', 'filter', 'all'])
    const { ids, filter, namespace } = body
    return deleteVectors(context.db, by, { namespace, ids, filter: filter && compileFilter(filter) })
  },
})
