import { Type } from 'typebox'
import { setAlarm } from '../../../../sql/spending/alarms.ts'
import { route } from '../../../route.ts'
import { LimitMicros, OWNER_ERRORS, PeriodPath, SpendAlarm } from '../schema.ts'

export default route({
  at: 'PUT /v1/account/spend-alarms/{period}',
  summary: 'Be told by mail and webhook when calls cost more than an amount within an hour or a day.',
  keywords: 'budget alert, set a spending alert',
  description:
    'You are told once a period, within a minute, and calls go on. A limit that stops calls is that of a key (`dailyCapUsd`).',
  auth: ['key', 'wallet'],
  params: PeriodPath,
  body: Type.Object({ limitMicros: LimitMicros }, { additionalProperties: false }),
  reply: { status: 200, schema: SpendAlarm },
  errors: ['INVALID_PARAM', ...OWNER_ERRORS],
  examples: [{ title: 'At 5 USD', input: { limitMicros: '5000000' } }],
  handle: ({ caller, params: { period }, body: { limitMicros } }, { db }) =>
    setAlarm(db, caller.accountId, period, BigInt(limitMicros)),
})
