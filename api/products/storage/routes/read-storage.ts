import { Type } from 'typebox'
import { readStorage } from '../../../../sql/storage/content.ts'
import { sendObject } from '../../../intake/reply/range.ts'
import { route } from '../../../route.ts'
import { entityTag, isKnown, LeaseId, OWNER_ERRORS, OWNER_READS, parseWireId } from '../../lease/index.ts'
import { setContentHeaders } from '../content.ts'

export default route({
  at: 'GET /api/storage/{lease_id}',
  summary: 'Read the file of a storage lease, or a range of it.',
  keywords: 'download a stored file, get my file back',
  auth: OWNER_READS,
  params: LeaseId,
  headers: Type.Object({ 'If-None-Match': Type.Optional(Type.String()), Range: Type.Optional(Type.String()) }),
  reply: { status: 200, contentType: 'application/octet-stream' },
  errors: ['FORBIDDEN', 'NOT_FOUND', 'GONE', ...OWNER_ERRORS],
  async handle({ caller: { accountId }, params, headers, request, reply }, { db, store }) {
    const { key, view } = await readStorage(db, { accountId, id: parseWireId('lse_', params.lease_id) })
    setContentHeaders(reply, view)
    if (isKnown(headers['If-None-Match'], entityTag(view.version, view.sha256))) return void reply.code(304).send()
    await sendObject(store, { key, sizeBytes: view.size_bytes }, request, reply)
  },
})
