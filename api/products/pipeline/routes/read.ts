import { Type } from 'typebox'
import { Problem } from '#kit'
import { findPipeline, type PipelineRecord } from '../../../../sql/pipeline/saved.ts'
import { route } from '../../../route.ts'
import type { Definition } from '../definition.ts'
import { describePipeline, OWNER_ERRORS, PipelineName, READER_AUTH, SavedPipeline, Version } from './schema.ts'

export default route({
  at: 'GET /v1/pipelines/{name}',
  summary: 'Get a saved pipeline: its latest version, or the one asked for.',
  keywords: 'show a saved workflow, steps of a recipe',
  auth: READER_AUTH,
  connectorScope: 'mcp:read',
  params: PipelineName,
  query: Type.Object({ version: Type.Optional(Version) }, { additionalProperties: false }),
  reply: { status: 200, schema: SavedPipeline },
  errors: ['NOT_FOUND', 'INVALID_PARAM', 'UNKNOWN_FIELD', ...OWNER_ERRORS],
  async handle({ caller, params: { name }, query: { version } }, { db }) {
    const found: PipelineRecord<Definition> | undefined = await findPipeline(db, caller.accountId, name, version)
    if (!found) throw new Problem('NOT_FOUND')
    return describePipeline(found)
  },
})
