import { Type } from 'typebox'
import { readScreening } from '../../../../sql/screening/screenings.ts'
import { route } from '../../../route.ts'
import { ScreeningReply } from '../schema.ts'
import { readScreeningId, ScreeningId } from '../screen.ts'

export default route({
  at: 'GET /v1/screening/matches/{id}',
  summary: 'Read a screening of yours again, as it was answered.',
  keywords: 'earlier screening, result of a sanctions check, screening record, audit of a screening',
  auth: ['key', 'wallet'],
  connectorScope: 'mcp:read',
  params: ScreeningId,
  reply: {
    status: 200,
    schema: Type.Object({
      ...ScreeningReply.properties,
      subject: Type.Record(Type.String(), Type.Unknown(), { description: 'Whom you asked for.' }),
      keptUntil: Type.String({ format: 'date-time' }),
    }),
  },
  errors: ['NOT_FOUND', 'INVALID_PARAM', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  async handle({ caller, params }, { db }) {
    const { result, subject, keptUntil } = await readScreening(db, caller.accountId, readScreeningId(params))
    return { ...result, subject, keptUntil }
  },
})
