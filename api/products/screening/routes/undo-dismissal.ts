import { Type } from 'typebox'
import { undoDismissal } from '../../../../sql/screening/screenings.ts'
import { route } from '../../../route.ts'
import { EntityId } from '../schema.ts'
import { readScreeningId, ScreeningId } from '../screen.ts'

export default route({
  at: 'DELETE /v1/screening/matches/{id}/dismissals/{entityId}',
  summary: 'Undo the dismissal of a match.',
  keywords: 'remove a false positive, count a match again',
  auth: ['key', 'wallet'],
  connectorScope: 'mcp:write',
  params: Type.Object({ ...ScreeningId.properties, entityId: EntityId }),
  reply: { status: 200, schema: Type.Object({ entityId: Type.String(), removed: Type.Literal(true) }) },
  errors: ['NOT_FOUND', 'INVALID_PARAM', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  async handle({ caller, params: { id, entityId } }, { db }) {
    await undoDismissal(db, caller.accountId, readScreeningId({ id }), entityId)
    return { entityId, removed: true }
  },
})
