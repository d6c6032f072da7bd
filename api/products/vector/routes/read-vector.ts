import { Type } from 'typebox'
import { readVectors } from '../../../../sql/vector/search.ts'
import { route } from '../../../route.ts'
import { READER_AUTH, USE_ERRORS } from '../../baton/index.ts'
import { identifyVectorUser, VectorBaton } from '../admission.ts'
import { Namespace, VectorId, VectorReply } from '../fields.ts'
import { showVector } from '../show.ts'

export default route({
  at: 'GET /v1/baton/{baton}/vectors/{vid}',
  summary: 'Read one vector with its metadata and text.',
  keywords: 'get an embedding by id, fetch vector',
  description: 'It counts as one read of the baton.',
  auth: READER_AUTH,
  params: Type.Object({ ...VectorBaton.properties, vid: VectorId }),
  query: Type.Object({ namespace: Namespace }),
  reply: { status: 200, schema: VectorReply },
  errors: [...USE_ERRORS, 'PRESET_MISMATCH', 'QUOTA_EXHAUSTED', 'RATE_LIMITED'],

  async handle({ caller, params, query: { namespace }, request }, context) {
    const by = identifyVectorUser(context, { caller, params, request })
    const shown = { metadata: true, text: true, values: true }
    const { items } = await readVectors(context.db, by, { namespace, id: params.vid, limit: 1, with: shown })
    return showVector(items[0]!)
  },
})
