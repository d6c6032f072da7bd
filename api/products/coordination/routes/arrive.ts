import { Type } from 'typebox'
import { arriveAtBarrier, readBarrier } from '../../../../sql/coordination/barriers.ts'
import { route } from '../../../route.ts'
import { waitForBarrier } from '../barrier-wait.ts'
import { findName } from '../name.ts'
import { Barrier, InChannel, Label, NameParam, READ_ERRORS, Round, WaitSeconds } from '../schema.ts'

export default route({
  at: 'POST /v1/bridge/barriers/{name}/arrive',
  summary: 'Arrive at a barrier, and wait there for the others.',
  keywords: 'reach a barrier, signal done, join, all have arrived',
  description: 'The last to arrive releases all. A repeat with the same `member` counts once.',
  auth: ['key', 'wallet'],
  params: NameParam,
  body: Type.Object(
    { member: Label('Who arrives.'), round: Round, waitSec: WaitSeconds(55), channel: InChannel },
    { additionalProperties: false },
  ),
  reply: { status: 200, schema: Barrier },
  errors: [...READ_ERRORS, 'BARRIER_CLOSED', 'TOO_MANY_WAITS', 'TIME_LIMIT_EXCEEDED'],
  examples: [{ title: 'Wait for the others', input: { member: 'agent-7', waitSec: 30 } }],
  async handle({ caller, request, params, body, reply }, context) {
    const { accountId, name } = await findName(context, { caller, request, channel: body.channel, ...params }, 'write')
    const { round } = await arriveAtBarrier(context.db, accountId, { name, round: body.round, member: body.member })
    const wait = { waiter: caller.accountId, accountId, name, seconds: body.waitSec, reply }
    return waitForBarrier(context, wait, () => readBarrier(context.db, accountId, { name, round }))
  },
})
