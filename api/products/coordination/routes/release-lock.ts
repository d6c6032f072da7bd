import { Type } from 'typebox'
import { releaseLock } from '../../../../sql/coordination/locks.ts'
import { route } from '../../../route.ts'
import { HOLD_TOKEN, HoldToken, Lock, NameParam, READ_ERRORS } from '../schema.ts'

export default route({
  at: 'DELETE /v1/bridge/locks/{name}',
  summary: 'Give a lock back before its time. A repeat changes nothing.',
  keywords: 'unlock, free a lock, release a mutex',
  auth: ['key', 'wallet'],
  params: NameParam,
  query: Type.Object({ token: HoldToken }, { additionalProperties: false }),
  reply: { status: 200, schema: Lock },
  errors: [...READ_ERRORS, 'UNKNOWN_FIELD', 'FENCE_STALE'],
  handle({ caller, params, query }, { config, db }) {
    return releaseLock(db, caller.accountId, params.name, HOLD_TOKEN.hash(config.secret, query.token))
  },
})
