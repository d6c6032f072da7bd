import { Type } from 'typebox'
import { useAfterUpload } from '../../../../ops/products/baton/uploads.ts'
import { deleteBaton } from '../../../../sql/baton/lifecycle.ts'
import { readCondition } from '../../../intake/conditions.ts'
import { route } from '../../../route.ts'
import { BATON_TAG, BatonId, CONDITION_HEADERS, OWNER_AUTH, USE_ERRORS } from '../fields/access.ts'
import { identifyVisitor } from '../visitor.ts'

export default route({
  at: 'DELETE /v1/baton/{id}',
  summary: 'Delete a baton. It cannot be read from then on; its bytes are removed as `onExpiration` says.',
  keywords:
    'remove a baton, destroy shared data, delete everything I have stored, delete a stored file, erase what I keep here, forget my data',
  auth: OWNER_AUTH,
  params: BatonId,
  headers: Type.Object(CONDITION_HEADERS),
  reply: { status: 200, schema: Type.Object({ id: Type.String(), deletedAt: Type.String({ format: 'date-time' }) }) },
  errors: [...USE_ERRORS, 'INVALID_PARAM', 'VERSION_CONFLICT'],
  handle({ caller, params, request }, context) {
    const by = identifyVisitor(context, { caller, params, request })
    const condition = readCondition(request.headers, BATON_TAG)
    return useAfterUpload(context, by, visitor => deleteBaton(context.db, visitor, condition))
  },
})
