import { readLock } from '../../../../sql/coordination/locks.ts'
import { route } from '../../../route.ts'
import { findName } from '../name.ts'
import { ChannelQuery, Lock, NameParam, READ_ERRORS } from '../schema.ts'

export default route({
  at: 'GET /v1/bridge/locks/{name}',
  summary: 'Tell who holds a lock, and until when.',
  keywords: 'is it locked, who has the lock, lock state',
  auth: ['key', 'wallet'],
  params: NameParam,
  query: ChannelQuery,
  reply: { status: 200, schema: Lock },
  errors: [...READ_ERRORS, 'UNKNOWN_FIELD'],
  async handle({ caller, request, params, query }, context) {
    const { accountId, name } = await findName(context, { caller, request, ...params, ...query }, 'read')
    return readLock(context.db, accountId, name)
  },
})
