import { Type } from 'typebox'
import { readStorage, writeStorage } from '../../../../sql/storage/content.ts'
import { route } from '../../../route.ts'
import {
  CONDITION_HEADERS,
  entityTag,
  LeaseId,
  OWNER_AUTH,
  OWNER_ERRORS,
  parseWireId,
  readExpectedVersion,
} from '../../lease/index.ts'
import { MAX_STORAGE_BYTES, storeBody } from '../content.ts'
import { Storage } from '../schema.ts'

export default route({
  at: 'PUT /api/storage/{lease_id}',
  summary: 'Replace the file of a storage lease; with If-Match or X-If-Version, only the version that you have read.',
  keywords: 'overwrite a stored file, replace an upload, new content of a file',
  auth: OWNER_AUTH,
  params: LeaseId,
  headers: Type.Object({ ...CONDITION_HEADERS, 'X-Filename': Type.Optional(Type.String()) }),
  body: Type.Unknown({ description: 'Any bytes.' }),
  streamBody: 'bytes',
  reply: { status: 200, schema: Storage },
  errors: [
    'EMPTY_BODY',
    'INVALID_PARAM',
    'CONFLICTING_OPTIONS',
    'UNSUPPORTED_MEDIA_TYPE',
    'BODY_TOO_LARGE',
    'BODY_INCOMPLETE',
    'FORBIDDEN',
    'NOT_FOUND',
    'VERSION_CONFLICT',
    'GONE',
    'STORAGE_FULL',
    ...OWNER_ERRORS,
  ],
  examples: [{ title: 'Replace it', input: { order: 'A-18', quantity: 1 } }],
  async handle({ caller: { accountId }, params, headers, request, reply }, context) {
    const condition = readExpectedVersion(request.headers, headers['X-If-Version'])
    const lease = { accountId, id: parseWireId('lse_', params.lease_id) }
    const { view } = await readStorage(context.db, lease)
    const maxBytes = Math.min(view.max_body_bytes, MAX_STORAGE_BYTES)
    const stored = await storeBody(context, { request, accountId, maxBytes })
    try {
      const written = await stored.take(content => writeStorage(context.db, lease, content, condition))
      reply.header('etag', entityTag(written.version, written.sha256)).header('x-lease-expires-at', written.expires_at)
      return written
    } finally {
      await stored.release()
    }
  },
})
