import { Problem } from '#kit'
import { deletePipeline } from '../../../../sql/pipeline/saved.ts'
import { route } from '../../../route.ts'
import { OWNER_AUTH, OWNER_ERRORS, PipelineName } from './schema.ts'

export default route({
  at: 'DELETE /v1/pipelines/{name}',
  summary: 'Delete a saved pipeline with all its versions. The name can be saved again, from version 1.',
  keywords: 'remove a saved workflow, delete recipe',
  auth: OWNER_AUTH,
  connectorScope: 'mcp:write',
  params: PipelineName,
  reply: { status: 204 },
  errors: ['NOT_FOUND', 'INVALID_PARAM', ...OWNER_ERRORS],
  async handle({ caller, params: { name }, reply }, { db }) {
    if ((await deletePipeline(db, caller.accountId, name)) === 0) throw new Problem('NOT_FOUND')
    reply.code(204).send()
    return undefined
  },
})
