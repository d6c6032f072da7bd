import { remind } from '../../../../sql/ask/asks.ts'
import { route } from '../../../route.ts'
import { Ask, AskParam, OWNER_ERRORS, parseAskId } from '../schema.ts'

export default route({
  at: 'POST /v1/bridge/asks/{ask}/remind',
  summary: 'Remind those who have not replied to an ask.',
  keywords: 'send a reminder, nudge a person, chase an approval',
  auth: ['key', 'wallet'],
  params: AskParam,
  reply: { status: 200, schema: Ask },
  errors: [...OWNER_ERRORS, 'ASK_CLOSED', 'REMINDED_RECENTLY'],
  handle: ({ caller, params }, { db }) => remind(db, caller.accountId, parseAskId(params.ask)),
})
