import { Type } from 'typebox'
import { Problem } from '#kit'
import { limitKey, showKeys } from '../../../sql/key.ts'
import { route } from '../../route.ts'
import { ApiKey, KeyPrefix, parseCap } from './schema.ts'

const NullableDollars = Type.Union([Type.String({ pattern: '^\\d{1,7}(\\.\\d{1,6})?$' }), Type.Null()])

export default route({
  at: 'PUT /v1/account/api-keys/{prefix}',
  summary: 'Set how much a key may spend per call and per UTC day, in dollars; null means no limit.',
  auth: ['session'],
  params: KeyPrefix,
  body: Type.Object({ callCapUsd: NullableDollars, dailyCapUsd: NullableDollars }, { additionalProperties: false }),
  reply: { status: 200, schema: ApiKey },
  errors: ['NOT_FOUND', 'CSRF_REJECTED', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  examples: [{ title: 'At most 2 dollars per day', input: { callCapUsd: null, dailyCapUsd: '2' } }],
  async handle({ caller: { accountId }, params: { prefix }, body }, { db, keys }) {
    const caps = { callCapMicros: parseField('callCapUsd'), dailyCapMicros: parseField('dailyCapUsd') }
    await limitKey(db, { accountId, prefix, ...caps })
    keys.forget()
    return (await showKeys(db, accountId)).find(key => key.prefix === prefix)

    function parseField(field: 'callCapUsd' | 'dailyCapUsd'): bigint | null {
      try {
        return parseCap(body[field])
      } catch {
        throw new Problem('INVALID_PARAM', { field, reason: 'must be an amount above 0 and at most 1000000' })
      }
    }
  },
})
