import { Type } from 'typebox'
import { route } from '../../../route.ts'
import { findName } from '../name.ts'
import { HOLD_TOKEN, HoldToken, InChannel, Lock, NameParam, READ_ERRORS } from '../schema.ts'

export default route({
  at: 'DELETE /v1/bridge/locks/{name}',
  summary: 'Give a lock back before its time. A repeat changes nothing.',
  keywords: 'unlock, free a lock, release a mutex',
  auth: ['key', 'wallet'],
  params: NameParam,
  query: Type.Object({ token: HoldToken, channel: InChannel }, { additionalProperties: false }),
  reply: { status: 200, schema: Lock },
  errors: [...READ_ERRORS, 'UNKNOWN_FIELD', 'FENCE_STALE'],
  async handle({ caller, request, params, query: { token, channel } }, context) {
    const { accountId, name } = await findName(context, { caller, request, channel, ...params }, 'write')
    return context.locks.release(accountId, name, HOLD_TOKEN.hash(context.config.secret, token))
  },
})
