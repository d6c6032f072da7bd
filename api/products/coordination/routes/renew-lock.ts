import { Type } from 'typebox'
import { renewLock } from '../../../../sql/coordination/locks.ts'
import { route } from '../../../route.ts'
import { findName } from '../name.ts'
import { HOLD_TOKEN, HoldToken, InChannel, Lock, NameParam, READ_ERRORS } from '../schema.ts'

export default route({
  at: 'PUT /v1/bridge/locks/{name}',
  summary: 'Hold a lock for longer.',
  keywords: 'extend a lock, keep a lock, lock heartbeat',
  auth: ['key', 'wallet'],
  params: NameParam,
  body: Type.Object(
    {
      token: HoldToken,
      ttlSeconds: Type.Integer({ minimum: 1, maximum: 3_600, default: 30, description: 'From now on.' }),
      channel: InChannel,
    },
    { additionalProperties: false },
  ),
  reply: { status: 200, schema: Lock },
  errors: [...READ_ERRORS, 'FENCE_STALE'],
  examples: [{ title: 'For a minute more', input: { token: 'lck_of-the-acquisition', ttlSeconds: 60 } }],
  async handle({ caller, request, params, body: { token, ttlSeconds, channel } }, context) {
    const { accountId, name } = await findName(context, { caller, request, channel, ...params }, 'write')
    const hold = { tokenHash: HOLD_TOKEN.hash(context.config.secret, token), seconds: ttlSeconds }
    return renewLock(context.db, accountId, name, hold)
  },
})
