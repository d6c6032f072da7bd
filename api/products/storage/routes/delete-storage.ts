import { Type } from 'typebox'
import { deleteStorage } from '../../../../sql/storage/content.ts'
import { route } from '../../../route.ts'
import { LeaseId, OWNER_AUTH, OWNER_ERRORS, parseWireId } from '../../lease/index.ts'

export default route({
  at: 'DELETE /api/storage/{lease_id}',
  summary: 'Delete a storage lease with its file before its time. Nothing is paid back.',
  keywords: 'stored file remove lease',
  auth: OWNER_AUTH,
  params: LeaseId,
  reply: { status: 200, schema: Type.Object({ status: Type.Literal('deleted') }) },
  errors: ['FORBIDDEN', 'NOT_FOUND', 'GONE', ...OWNER_ERRORS],
  async handle({ caller: { accountId }, params }, { db }) {
    await deleteStorage(db, { accountId, id: parseWireId('lse_', params.lease_id) })
    return { status: 'deleted' }
  },
})
