import { Type } from 'typebox'
import { route } from '../../route.ts'
import { ApiKey, addKey, KeyName, NullableDollars, parseCaps, parseKeyName } from './schema.ts'

export default route({
  at: 'POST /v1/account/api-keys',
  summary: 'Create another API key, with a name and limits of its own. The key is shown only once.',
  keywords:
    'new api key, add a key, second key, sub-key with a budget, key with a spending limit, daily limit of a key, how many dollars a key may spend a day',
  auth: ['session'],
  body: Type.Object(
    {
      name: Type.Optional(KeyName),
      callCapUsd: Type.Optional(NullableDollars),
      dailyCapUsd: Type.Optional(NullableDollars),
    },
    { additionalProperties: false },
  ),
  bodyOptional: true,
  reply: { status: 201, schema: Type.Object({ apiKey: Type.String(), key: ApiKey }) },
  errors: ['TOO_MANY_KEYS', 'CSRF_REJECTED', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  examples: [{ title: 'A key for one agent', input: { name: 'invoice agent', dailyCapUsd: '2' } }],
  handle: ({ caller, body }, context) => addKey(context, caller, { name: parseKeyName(body.name), ...parseCaps(body) }),
})
