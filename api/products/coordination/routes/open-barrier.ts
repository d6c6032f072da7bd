import { Type } from 'typebox'
import { perCall } from '#kit'
import { openBarrier } from '../../../../sql/coordination/barriers.ts'
import { BILLABLE_AUTH } from '../../../intake/billable.ts'
import { route } from '../../../route.ts'
import { findName } from '../name.ts'
import { Barrier, CHANNEL_ERRORS, InChannel, NameParam } from '../schema.ts'

export default route({
  at: 'POST /v1/bridge/barriers/{name}',
  summary: 'Open a barrier, at which agents wait until all of them have arrived.',
  keywords:
    'rendezvous, wait for all, join parallel work, synchronize agents, latch, fan in, wait until all agents are ready, synchronise workers',
  description:
    'Each agent says with `bridge.arrive` that it is there, and waits. When it is released or expired, the next call opens its next round.',
  auth: BILLABLE_AUTH,
  params: NameParam,
  body: Type.Object(
    {
      parties: Type.Integer({ minimum: 2, maximum: 100, description: 'How many must arrive.' }),
      ttlSeconds: Type.Integer({ minimum: 1, maximum: 86_400, default: 3_600, description: 'When it expires.' }),
      channel: InChannel,
    },
    { additionalProperties: false },
  ),
  reply: { status: 201, schema: Barrier },
  price: perCall('0.001'),
  settles: true,
  errors: ['INVALID_PARAM', 'NOT_FOUND', ...CHANNEL_ERRORS, 'BARRIER_OPEN', 'TOO_MANY_NAMES', 'TIME_LIMIT_EXCEEDED'],
  examples: [{ title: 'For three agents', input: { parties: 3 } }],
  async handle({ caller, request, params, body: { parties, ttlSeconds, channel }, job }, context) {
    const { db, settings } = context
    const { accountId, name } = await findName(context, { caller, request, channel, ...params }, 'write')
    const round = { accountId, name, parties, seconds: ttlSeconds }
    return openBarrier(db, job!, round, settings.get('coordination.max_names'))
  },
})
