import { requireUnlimitedKey } from '../../../../sql/key.ts'
import { removeAlarm } from '../../../../sql/spending/alarms.ts'
import { route } from '../../../route.ts'
import { CHANGE_RULE, OWNER_ERRORS, PeriodPath } from '../schema.ts'

export default route({
  at: 'DELETE /v1/account/spend-alarms/{period}',
  summary: 'Be told no more of what is spent in an hour or a day.',
  keywords: 'remove a budget alert',
  description: CHANGE_RULE,
  auth: ['key', 'wallet'],
  params: PeriodPath,
  reply: { status: 204 },
  errors: ['NOT_FOUND', 'INVALID_PARAM', 'FORBIDDEN', ...OWNER_ERRORS],
  async handle({ caller, params: { period }, reply }, { db }) {
    if (caller.keyHash) await requireUnlimitedKey(db, caller.keyHash)
    await removeAlarm(db, caller.accountId, period)
    return void reply.code(204).send()
  },
})
