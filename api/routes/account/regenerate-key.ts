import { Type } from 'typebox'
import { route } from '../../route.ts'
import { ApiKey, issueKey } from './schema.ts'

export default route({
  at: 'POST /v1/account/api-keys/regenerate',
  summary: 'Replace the current API key with a new one, or create the first. The key is shown only once.',
  description: 'The old key stops working at once. The new key has the same spending limits.',
  auth: ['session'],
  body: Type.Object(
    {
      prefix: Type.Optional(
        Type.String({ maxLength: 64, description: 'The prefix of the key to replace; by default the newest key.' }),
      ),
    },
    { additionalProperties: false },
  ),
  bodyOptional: true,
  reply: { status: 201, schema: Type.Object({ apiKey: Type.String(), key: ApiKey }) },
  errors: ['KEY_NOT_CURRENT', 'CSRF_REJECTED', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  examples: [{ title: 'Replace the current key', input: {} }],
  handle: ({ caller, body }, context) => issueKey(context, caller, body.prefix),
})
