import { Type } from 'typebox'
import { listPipelines } from '../../../../sql/pipeline/saved.ts'
import { route } from '../../../route.ts'
import { describePage } from '../page.ts'
import { OWNER_ERRORS, Page, PipelineList, READER_AUTH } from './schema.ts'

export default route({
  at: 'GET /v1/pipelines',
  summary: 'List the saved pipelines of the account by name, each with its latest version.',
  keywords: 'saved pipelines, my workflows',
  auth: READER_AUTH,
  connectorScope: 'mcp:read',
  query: Type.Object(Page, { additionalProperties: false }),
  reply: { status: 200, schema: PipelineList },
  errors: ['INVALID_PARAM', 'UNKNOWN_FIELD', ...OWNER_ERRORS],
  async handle({ caller, query }, { db }) {
    return describePage(await listPipelines(db, caller.accountId, { ...query, limit: query.limit + 1 }), query)
  },
})
