import { Type } from 'typebox'
import { deleteBaton } from '../../../../sql/baton/lifecycle.ts'
import { route } from '../../../route.ts'
import { BatonId, OWNER_AUTH, USE_ERRORS } from '../fields/access.ts'
import { identifyVisitor } from '../visitor.ts'

export default route({
  at: 'DELETE /v1/baton/{id}',
  summary: 'Delete a baton. It cannot be read from then on; its bytes are removed as `onExpiration` says.',
  keywords: 'remove a baton, destroy shared data',
  auth: OWNER_AUTH,
  params: BatonId,
  reply: { status: 200, schema: Type.Object({ id: Type.String(), deletedAt: Type.String({ format: 'date-time' }) }) },
  errors: USE_ERRORS,
  handle: ({ caller, params, request }, context) =>
    deleteBaton(context.db, identifyVisitor(context, { caller, params, request })),
})
