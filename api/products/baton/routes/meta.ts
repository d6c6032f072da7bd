import { useAfterUpload } from '../../../../ops/products/baton/uploads.ts'
import { readMeta } from '../../../../sql/baton/lifecycle.ts'
import { route } from '../../../route.ts'
import { BatonId, OWNER_READS, USE_ERRORS } from '../fields/access.ts'
import { BatonMeta } from '../fields/meta.ts'
import { identifyVisitor } from '../visitor.ts'

export default route({
  at: 'GET /v1/baton/{id}/meta',
  summary: 'Read what is known of a baton that you own, and what is left of its quotas.',
  keywords: 'remaining quota, when does it expire, how much is left, state of a baton',
  auth: OWNER_READS,
  params: BatonId,
  reply: { status: 200, schema: BatonMeta },
  errors: USE_ERRORS,
  handle: ({ caller, params, request }, context) =>
    useAfterUpload(context, identifyVisitor(context, { caller, params, request }), by => readMeta(context.db, by)),
})
