import { Type } from 'typebox'
import { requireUnlimitedKey } from '../../../../sql/key.ts'
import { listAlarms, setAlarm } from '../../../../sql/spending/alarms.ts'
import { route } from '../../../route.ts'
import { CHANGE_RULE, LimitMicros, OWNER_ERRORS, PeriodPath, SpendAlarm } from '../schema.ts'

export default route({
  at: 'PUT /v1/account/spend-alarms/{period}',
  summary: 'Be told by mail and webhook when calls cost more than an amount within an hour or a day.',
  keywords: 'budget alert, set a spending alert',
  description: `You are told once a period, within a minute, and calls go on. A limit that stops calls is that of a key (\`dailyCapUsd\`). ${CHANGE_RULE}`,
  auth: ['key', 'wallet'],
  params: PeriodPath,
  body: Type.Object({ limitMicros: LimitMicros }, { additionalProperties: false }),
  reply: { status: 200, schema: SpendAlarm },
  errors: ['INVALID_PARAM', 'FORBIDDEN', ...OWNER_ERRORS],
  examples: [{ title: 'At 5 USD', input: { limitMicros: '5000000' } }],
  async handle({ caller, params: { period }, body: { limitMicros } }, { db }) {
    const { accountId, keyHash } = caller
    if (keyHash && (await listAlarms(db, accountId)).some(alarm => alarm.period === period))
      await requireUnlimitedKey(db, keyHash)
    return setAlarm(db, accountId, period, BigInt(limitMicros))
  },
})
