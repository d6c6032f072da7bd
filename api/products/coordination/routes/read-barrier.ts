import { Type } from 'typebox'
import { readBarrier } from '../../../../sql/coordination/barriers.ts'
import { route } from '../../../route.ts'
import { waitForBarrier } from '../barrier-wait.ts'
import { findName } from '../name.ts'
import { Barrier, InChannel, NameParam, READ_ERRORS, Round, WaitSeconds } from '../schema.ts'

export default route({
  at: 'GET /v1/bridge/barriers/{name}',
  summary: 'Tell who has arrived at a barrier, or wait until it is released.',
  keywords: 'wait at a barrier, have all arrived, barrier state',
  auth: ['key', 'wallet'],
  params: NameParam,
  query: Type.Object({ round: Round, waitSec: WaitSeconds(55), channel: InChannel }, { additionalProperties: false }),
  reply: { status: 200, schema: Barrier },
  errors: [...READ_ERRORS, 'UNKNOWN_FIELD', 'TOO_MANY_WAITS', 'TIME_LIMIT_EXCEEDED'],
  async handle({ caller, request, params, query, reply }, context) {
    const { accountId, name } = await findName(context, { caller, request, channel: query.channel, ...params }, 'read')
    const { round } = await readBarrier(context.db, accountId, { name, round: query.round })
    const wait = { waiter: caller.accountId, accountId, name, seconds: query.waitSec, reply }
    return waitForBarrier(context, wait, () => readBarrier(context.db, accountId, { name, round }))
  },
})
