import { Type } from 'typebox'
import { readAsk } from '../../../../sql/ask/asks.ts'
import { route } from '../../../route.ts'
import { Ask, AskParam, OWNER_ERRORS, parseAskId } from '../schema.ts'

const NEXT_MS = 100

export default route({
  at: 'GET /v1/bridge/asks/{ask}/wait',
  summary: 'Wait until an ask has ended, for up to 55 seconds.',
  keywords: 'wait for approval, block until a human replies, long poll, await a reply',
  description: 'Call again while `pollAfterMs` is a number. Nothing is lost between the calls or by a restart.',
  auth: ['key', 'wallet'],
  params: AskParam,
  query: Type.Object(
    { timeoutSec: Type.Integer({ minimum: 0, maximum: 55, default: 25 }) },
    { additionalProperties: false },
  ),
  reply: {
    status: 200,
    schema: Type.Object({
      ...Ask.properties,
      pollAfterMs: Type.Union([Type.Integer(), Type.Null()], {
        description: 'When to call again; null: it has ended.',
      }),
    }),
  },
  errors: [...OWNER_ERRORS, 'INVALID_PARAM', 'UNKNOWN_FIELD', 'TOO_MANY_WAITS', 'TIME_LIMIT_EXCEEDED'],
  async handle({ caller: { accountId }, params, query, reply }, { clock, db, longPolls, settings }) {
    const id = parseAskId(params.ask)
    const wait = { accountId, seconds: query.timeoutSec, reply, max: settings.get('rate.waits_per_account') }
    const ask = await longPolls.until(`ask ${id}`, wait, async () => {
      const found = await readAsk(db, accountId, id)
      // A worker ends it at that time, which notifies; this is for the case that none does.
      return { found, isFinal: found.endedAt !== null, changesInMs: Date.parse(found.expiresAt) - clock.now() + 1_000 }
    })
    return { ...ask, pollAfterMs: ask.endedAt === null ? NEXT_MS : null }
  },
})
