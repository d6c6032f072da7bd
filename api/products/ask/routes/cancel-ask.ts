import { cancelAsk } from '../../../../sql/ask/asks.ts'
import { route } from '../../../route.ts'
import { Ask, AskParam, OWNER_ERRORS, parseAskId } from '../schema.ts'

export default route({
  at: 'POST /v1/bridge/asks/{ask}/cancel',
  summary: 'Cancel an ask; its links take no reply any more.',
  keywords: 'withdraw a question, take an approval back',
  auth: ['key', 'wallet'],
  params: AskParam,
  reply: { status: 200, schema: Ask },
  errors: [...OWNER_ERRORS, 'ASK_CLOSED'],
  handle: ({ caller, params }, { db }) => cancelAsk(db, caller.accountId, parseAskId(params.ask)),
})
