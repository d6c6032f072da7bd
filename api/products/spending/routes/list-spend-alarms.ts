import { Type } from 'typebox'
import { listAlarms } from '../../../../sql/spending/alarms.ts'
import { route } from '../../../route.ts'
import { OWNER_ERRORS, SpendAlarm } from '../schema.ts'

export default route({
  at: 'GET /v1/account/spend-alarms',
  summary: 'List how much you want to be told of when it is spent in an hour or a day, and what is spent so far.',
  keywords: 'budget alert, spending alert, notify me when I spend',
  auth: ['key', 'wallet'],
  connectorScope: 'mcp:read',
  reply: { status: 200, schema: Type.Object({ data: Type.Array(SpendAlarm) }) },
  errors: OWNER_ERRORS,
  async handle({ caller }, { db }) {
    return { data: await listAlarms(db, caller.accountId) }
  },
})
