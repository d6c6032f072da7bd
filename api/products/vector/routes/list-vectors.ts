import { Type } from 'typebox'
import { Problem } from '#kit'
import { readVectors } from '../../../../sql/vector/search.ts'
import { route } from '../../../route.ts'
import { QuotasReply, READER_AUTH, USE_ERRORS } from '../../baton/index.ts'
import { identifyVectorUser, VectorBaton } from '../admission.ts'
import { Namespace, VectorReply } from '../fields.ts'
import { showVector } from '../show.ts'

const CURSOR = /^[A-Za-z0-9._:#-]{1,128}$/

export default route({
  at: 'GET /v1/baton/{baton}/vectors',
  summary: 'List the vectors of a vector baton in the order of their ids, with their metadata.',
  keywords: 'all embeddings, browse vectors, scroll',
  description: 'A page with vectors counts as one read of the baton.',
  auth: READER_AUTH,
  params: VectorBaton,
  query: Type.Object({
    namespace: Namespace,
    prefix: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9._:#-]{0,128}$', description: 'The ids begin with it.' })),
    limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
    cursor: Type.Optional(Type.String({ maxLength: 300, description: 'The nextCursor of the page before.' })),
  }),
  reply: {
    status: 200,
    schema: Type.Object({
      vectors: Type.Array(VectorReply),
      nextCursor: Type.Union([Type.String(), Type.Null()]),
      quotas: QuotasReply,
    }),
  },
  errors: [...USE_ERRORS, 'INVALID_PARAM', 'PRESET_MISMATCH', 'QUOTA_EXHAUSTED', 'RATE_LIMITED'],

  async handle({ caller, params, query: { namespace, prefix, limit, cursor }, request }, context) {
    const by = identifyVectorUser(context, { caller, params, request })
    const after = cursor === undefined ? undefined : Buffer.from(cursor, 'base64url').toString('latin1')
    if (after !== undefined && !CURSOR.test(after)) throw new Problem('INVALID_PARAM', { field: 'cursor' })
    const shown = { metadata: true, text: false, values: false }
    const { items, quotas } = await readVectors(context.db, by, { namespace, prefix, after, limit, with: shown })
    const last = items.length === limit ? items.at(-1)!.id : undefined
    const nextCursor = last === undefined ? null : Buffer.from(last, 'latin1').toString('base64url')
    return { vectors: items.map(showVector), nextCursor, quotas }
  },
})
