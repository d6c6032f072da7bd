import { readAsk } from '../../../../sql/ask/asks.ts'
import { route } from '../../../route.ts'
import { Ask, AskParam, OWNER_ERRORS, parseAskId } from '../schema.ts'

export default route({
  at: 'GET /v1/bridge/asks/{ask}',
  summary: 'Read an ask: its state, who was asked how, and the replies.',
  keywords: 'has somebody approved, state of an approval, replies, was a question answered, whether it was answered',
  description: 'Its log, in which no entry can be changed unnoticed, is at GET /v1/audit/ask/{id}.',
  auth: ['key', 'wallet'],
  params: AskParam,
  reply: { status: 200, schema: Ask },
  errors: OWNER_ERRORS,
  handle: ({ caller, params }, { db }) => readAsk(db, caller.accountId, parseAskId(params.ask)),
})
