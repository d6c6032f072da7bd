import { Type } from 'typebox'
import { Problem } from '#kit'
import { listPipelines } from '../../../../sql/pipeline/saved.ts'
import { route } from '../../../route.ts'
import { describePage } from '../page.ts'
import { OWNER_ERRORS, Page, PipelineList, PipelineName, READER_AUTH } from './schema.ts'

export default route({
  at: 'GET /v1/pipelines/{name}/versions',
  summary: 'List the versions of a saved pipeline, newest first.',
  keywords: 'history of a saved workflow',
  auth: READER_AUTH,
  connectorScope: 'mcp:read',
  params: PipelineName,
  query: Type.Object(Page, { additionalProperties: false }),
  reply: { status: 200, schema: PipelineList },
  errors: ['NOT_FOUND', 'INVALID_PARAM', 'UNKNOWN_FIELD', ...OWNER_ERRORS],
  async handle({ caller, params: { name }, query }, { db }) {
    const found = await listPipelines(db, caller.accountId, { ...query, name, limit: query.limit + 1 })
    if (found.length === 0 && query.offset === 0) throw new Problem('NOT_FOUND')
    return describePage(found, query)
  },
})
