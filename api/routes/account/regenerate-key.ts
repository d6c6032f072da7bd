import { Type } from 'typebox'
import { route } from '../../route.ts'
import { ApiKey, newKey } from './shape.ts'

export default route({
  at: 'POST /v1/account/api-keys/regenerate',
  summary: 'Put a new API key in the place of the current one, or mint the first; it is shown this once.',
  description: 'The old key ends at once. The new one inherits its spending limits.',
  auth: ['session'],
  body: Type.Object(
    {
      prefix: Type.Optional(Type.String({ maxLength: 64, description: 'The key to replace; the newest if left out.' })),
    },
    { additionalProperties: false },
  ),
  bodyOptional: true,
  reply: { status: 201, schema: Type.Object({ apiKey: Type.String(), key: ApiKey }) },
  errors: ['KEY_NOT_CURRENT', 'CSRF_REJECTED', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  examples: [{ title: 'Replace the current key', input: {} }],
  handle: ({ caller, body }, floor) => newKey(floor, caller, body.prefix),
})
