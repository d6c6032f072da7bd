import { Type } from 'typebox'
import { deleteStorage } from '../../../../sql/storage/content.ts'
import { route } from '../../../route.ts'
import {
  CONDITION_HEADERS,
  LeaseId,
  OWNER_AUTH,
  OWNER_ERRORS,
  parseWireId,
  readExpectedVersion,
} from '../../lease/index.ts'

export default route({
  at: 'DELETE /api/storage/{lease_id}',
  summary: 'Delete a storage lease with its file before its time. Nothing is paid back.',
  keywords: 'stored file remove lease',
  auth: OWNER_AUTH,
  params: LeaseId,
  headers: Type.Object(CONDITION_HEADERS),
  reply: { status: 200, schema: Type.Object({ status: Type.Literal('deleted') }) },
  errors: [
    'INVALID_PARAM',
    'CONFLICTING_OPTIONS',
    'FORBIDDEN',
    'NOT_FOUND',
    'VERSION_CONFLICT',
    'GONE',
    ...OWNER_ERRORS,
  ],
  async handle({ caller: { accountId }, params, headers, request }, { db }) {
    const condition = readExpectedVersion(request.headers, headers['X-If-Version'])
    await deleteStorage(db, { accountId, id: parseWireId('lse_', params.lease_id) }, condition)
    return { status: 'deleted' }
  },
})
