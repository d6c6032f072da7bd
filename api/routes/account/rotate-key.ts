import { Type } from 'typebox'
import { route } from '../../route.ts'
import { ApiKey, MAX_GRACE_HOURS, replaceKey } from './schema.ts'

export default route({
  at: 'POST /v1/account/api-keys/regenerate',
  summary: 'Replace an API key with a new one, or create the first. The key is shown only once.',
  keywords: 'replace leaked key, renew api key, regenerate, first api key',
  description:
    'The new key has the same name and limits. The old key stops working at once, or after `graceHours`; until then both ' +
    'count towards the same limits.',
  auth: ['session'],
  body: Type.Object(
    {
      prefix: Type.Optional(
        Type.String({
          pattern: '^\\w{1,64}$',
          description: 'The prefix of the key to replace; by default the newest key.',
        }),
      ),
      graceHours: Type.Integer({
        minimum: 0,
        maximum: MAX_GRACE_HOURS,
        default: 0,
        description: 'How long the old key works on.',
      }),
    },
    { additionalProperties: false },
  ),
  bodyOptional: true,
  reply: { status: 201, schema: Type.Object({ apiKey: Type.String(), key: ApiKey }) },
  errors: ['KEY_NOT_CURRENT', 'TOO_MANY_KEYS', 'CSRF_REJECTED', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  examples: [{ title: 'Replace the current key; the old one works for another day', input: { graceHours: 24 } }],
  handle: ({ caller, body: { prefix: former, graceHours } }, context) =>
    replaceKey(context, caller, { former, graceHours }),
})
