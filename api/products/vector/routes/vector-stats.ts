import { Type } from 'typebox'
import { readVectorStats } from '../../../../sql/vector/change.ts'
import { route } from '../../../route.ts'
import { IndexReply, QuotasReply, READER_AUTH, USE_ERRORS } from '../../baton/index.ts'
import { identifyVectorUser, VectorBaton } from '../admission.ts'

export default route({
  at: 'GET /v1/baton/{baton}/vectors/stats',
  summary: 'Count the vectors of a vector baton by namespace, and read its dimensions, metric and model.',
  keywords: 'how many vectors, size of the index, embedding model',
  auth: READER_AUTH,
  params: VectorBaton,
  reply: {
    status: 200,
    schema: Type.Object({ ...IndexReply.properties, bytesUsed: Type.String(), quotas: QuotasReply }),
  },
  errors: [...USE_ERRORS, 'PRESET_MISMATCH'],
  handle: ({ caller, params, request }, context) =>
    readVectorStats(context.db, identifyVectorUser(context, { caller, params, request })),
})
