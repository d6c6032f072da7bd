import { Type } from 'typebox'
import { requireUnlimitedKey } from '../../../../sql/key.ts'
import { findBalanceAlarm, setBalanceAlarm } from '../../../../sql/spending/balance.ts'
import { route } from '../../../route.ts'
import { BalanceAlarm, CHANGE_RULE, LimitMicros, OWNER_ERRORS } from '../schema.ts'

export default route({
  at: 'PUT /v1/account/balance-alarm',
  summary: 'Be told by mail and webhook when the balance falls below an amount.',
  keywords:
    'low balance alert, tell me when the balance is low, notify me when my balance falls below, warn when money runs out, top up reminder',
  description: `The event is \`account.balance_low\`. You are told within a minute, and again only after the balance was as high as the amount. ${CHANGE_RULE}`,
  auth: ['key', 'wallet'],
  body: Type.Object({ limitMicros: LimitMicros }, { additionalProperties: false }),
  reply: { status: 200, schema: BalanceAlarm },
  errors: ['INVALID_PARAM', 'FORBIDDEN', ...OWNER_ERRORS],
  examples: [{ title: 'Below 1 USD', input: { limitMicros: '1000000' } }],
  async handle({ caller: { accountId, keyHash }, body: { limitMicros } }, { db }) {
    if (keyHash && (await findBalanceAlarm(db, accountId))) await requireUnlimitedKey(db, keyHash)
    return setBalanceAlarm(db, accountId, BigInt(limitMicros))
  },
})
