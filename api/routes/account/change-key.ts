import { Type } from 'typebox'
import { changeKey, showKeys } from '../../../sql/key.ts'
import { route } from '../../route.ts'
import { ApiKey, KeyName, KeyPrefix, NullableDollars, parseCaps, parseKeyName } from './schema.ts'

export default route({
  at: 'PUT /v1/account/api-keys/{prefix}',
  summary: 'Set the name of a key and how much it may spend per call and per UTC day, in dollars.',
  keywords: 'limit a key, spending limit, daily budget, cap per call, rename key',
  description: 'A limit of null means no limit. Fields that are left out stay as they are.',
  auth: ['session'],
  params: KeyPrefix,
  body: Type.Object(
    {
      name: Type.Optional(Type.Union([KeyName, Type.Null()])),
      callCapUsd: Type.Optional(NullableDollars),
      dailyCapUsd: Type.Optional(NullableDollars),
    },
    { additionalProperties: false },
  ),
  reply: { status: 200, schema: ApiKey },
  errors: ['NOT_FOUND', 'CSRF_REJECTED', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  examples: [{ title: 'At most 2 dollars per day', input: { callCapUsd: null, dailyCapUsd: '2' } }],
  async handle({ caller: { accountId }, params: { prefix }, body }, { db }) {
    const name = body.name === undefined ? {} : { name: parseKeyName(body.name) ?? null }
    await changeKey(db, { accountId, prefix }, { ...name, ...parseCaps(body) })
    return (await showKeys(db, accountId)).find(key => key.prefix === prefix)
  },
})
