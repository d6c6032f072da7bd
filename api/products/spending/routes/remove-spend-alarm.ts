import { removeAlarm } from '../../../../sql/spending/alarms.ts'
import { route } from '../../../route.ts'
import { OWNER_ERRORS, PeriodPath } from '../schema.ts'

export default route({
  at: 'DELETE /v1/account/spend-alarms/{period}',
  summary: 'Be told no more of what is spent in an hour or a day.',
  keywords: 'remove a budget alert',
  auth: ['key', 'wallet'],
  params: PeriodPath,
  reply: { status: 204 },
  errors: ['NOT_FOUND', 'INVALID_PARAM', ...OWNER_ERRORS],
  async handle({ caller, params: { period }, reply }, { db }) {
    await removeAlarm(db, caller.accountId, period)
    return void reply.code(204).send()
  },
})
