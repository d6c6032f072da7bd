import { Type } from 'typebox'
import { Problem } from '#kit'
import { limitKey, showKeys } from '../../../sql/key.ts'
import { route } from '../../route.ts'
import { ApiKey, capOf, KeyPrefix } from './shape.ts'

const Dollars = Type.Union([Type.String({ pattern: '^\\d{1,7}(\\.\\d{1,6})?$' }), Type.Null()])

export default route({
  at: 'PUT /v1/account/api-keys/{prefix}',
  summary: 'Set what a key may spend a call and a day of UTC, in dollars; null is no limit.',
  auth: ['session'],
  params: KeyPrefix,
  body: Type.Object({ callCapUsd: Dollars, dailyCapUsd: Dollars }, { additionalProperties: false }),
  reply: { status: 200, schema: ApiKey },
  errors: ['NOT_FOUND', 'CSRF_REJECTED', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  examples: [{ title: 'At most 2 dollars a day', input: { callCapUsd: null, dailyCapUsd: '2' } }],
  async handle({ caller: { accountId }, params: { prefix }, body }, { db, keys }) {
    const caps = { callCapMicros: amountOf('callCapUsd'), dailyCapMicros: amountOf('dailyCapUsd') }
    await limitKey(db, { accountId, prefix, ...caps })
    keys.forget()
    return (await showKeys(db, accountId)).find(key => key.prefix === prefix)

    function amountOf(field: 'callCapUsd' | 'dailyCapUsd'): bigint | null {
      try {
        return capOf(body[field])
      } catch {
        throw new Problem('INVALID_PARAM', { field, reason: 'an amount above 0 and up to 1000000' })
      }
    }
  },
})
