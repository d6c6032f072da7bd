import { readLock } from '../../../../sql/coordination/locks.ts'
import { route } from '../../../route.ts'
import { Lock, NameParam, READ_ERRORS } from '../schema.ts'

export default route({
  at: 'GET /v1/bridge/locks/{name}',
  summary: 'Tell who holds a lock, and until when.',
  keywords: 'is it locked, who has the lock, lock state',
  auth: ['key', 'wallet'],
  params: NameParam,
  reply: { status: 200, schema: Lock },
  errors: READ_ERRORS,
  handle: ({ caller, params }, { db }) => readLock(db, caller.accountId, params.name),
})
