import { readBalanceAlarm } from '../../../../sql/spending/balance.ts'
import { route } from '../../../route.ts'
import { BalanceAlarm, OWNER_ERRORS } from '../schema.ts'

export default route({
  at: 'GET /v1/account/balance-alarm',
  summary: 'Get the amount below which you are told of your balance.',
  keywords: 'low balance alert',
  auth: ['key', 'wallet'],
  connectorScope: 'mcp:read',
  reply: { status: 200, schema: BalanceAlarm },
  errors: ['NOT_FOUND', ...OWNER_ERRORS],
  handle: ({ caller }, { db }) => readBalanceAlarm(db, caller.accountId),
})
