import { Type } from 'typebox'
import { listLogs } from '../../../../sql/baton/entries.ts'
import { route } from '../../../route.ts'
import { BatonId, FilterQuery, OWNER_READS, readFilter, USE_ERRORS } from '../fields/access.ts'
import { identifyVisitor } from '../visitor.ts'

export default route({
  at: 'GET /v1/baton/{id}/event-logs',
  summary: 'List what was done with a baton and by which token, oldest first.',
  keywords: 'audit log, who read it, history, who accessed it, access log, who read my file, who opened a file',
  auth: OWNER_READS,
  params: BatonId,
  query: FilterQuery,
  reply: {
    status: 200,
    schema: Type.Object({
      data: Type.Array(
        Type.Object({
          id: Type.String(),
          type: Type.String(),
          writer: Type.String(),
          createdAt: Type.String({ format: 'date-time' }),
          details: Type.Optional(Type.Unknown()),
        }),
      ),
    }),
  },
  errors: USE_ERRORS,

  async handle({ caller, params, query, request }, context) {
    const by = identifyVisitor(context, { caller, params, request })
    return { data: await listLogs(context.db, by, readFilter(query)) }
  },
})
