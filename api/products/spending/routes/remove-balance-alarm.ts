import { requireUnlimitedKey } from '../../../../sql/key.ts'
import { removeBalanceAlarm } from '../../../../sql/spending/balance.ts'
import { route } from '../../../route.ts'
import { CHANGE_RULE, OWNER_ERRORS } from '../schema.ts'

export default route({
  at: 'DELETE /v1/account/balance-alarm',
  summary: 'Be told no more of a low balance.',
  keywords: 'remove a low balance alert',
  description: CHANGE_RULE,
  auth: ['key', 'wallet'],
  reply: { status: 204 },
  errors: ['NOT_FOUND', 'FORBIDDEN', ...OWNER_ERRORS],
  async handle({ caller, reply }, { db }) {
    if (caller.keyHash) await requireUnlimitedKey(db, caller.keyHash)
    await removeBalanceAlarm(db, caller.accountId)
    return void reply.code(204).send()
  },
})
