import { Type } from 'typebox'
import { dismissMatch } from '../../../../sql/screening/screenings.ts'
import { route } from '../../../route.ts'
import { DismissalReply, EntityId } from '../schema.ts'
import { readScreeningId, ScreeningId } from '../screen.ts'

export default route({
  at: 'POST /v1/screening/matches/{id}/dismissals',
  summary: 'Dismiss a match of a screening as someone else.',
  keywords: 'false positive, not the same person, whitelist a match, rule out a match',
  description:
    'Later screenings of the same subject, by its `referenceId` or else by its name, type and birth, show the match as `falsePositive` and do not count it, until the entry changes.',
  auth: ['key', 'wallet'],
  connectorScope: 'mcp:write',
  params: ScreeningId,
  body: Type.Object(
    {
      entityId: EntityId,
      reason: Type.String({ minLength: 1, maxLength: 500, pattern: '^[^\\u0000\\ud800-\\udfff]*$' }),
    },
    { additionalProperties: false },
  ),
  reply: { status: 201, schema: DismissalReply },
  errors: ['NOT_FOUND', 'INVALID_PARAM', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  examples: [{ title: 'Another birth', input: { entityId: 'un_sc:6908555', reason: 'Born in another year.' } }],
  handle: ({ caller, params, body }, { db }) =>
    dismissMatch(db, caller.accountId, { id: readScreeningId(params), ...body }),
})
