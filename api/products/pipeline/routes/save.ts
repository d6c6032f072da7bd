import { Type } from 'typebox'
import { Problem } from '#kit'
import { savePipeline } from '../../../../sql/pipeline/saved.ts'
import { route } from '../../../route.ts'
import { checkDefinition, type Definition } from '../definition.ts'
import { DEFINITION_FIELDS, describePipeline, OWNER_AUTH, OWNER_ERRORS, PipelineName, SavedPipeline } from './schema.ts'

const MAX_BYTES = 65_536
const NAME = /^[a-z0-9][a-z0-9_-]*$/

export default route({
  at: 'PUT /v1/pipelines/{name}',
  summary: 'Save a pipeline under a name, as a new version. POST /v1/pipeline runs it by name.',
  keywords: 'save pipeline, store workflow, reusable steps, template, parameters, versions',
  description:
    'Nothing of a version changes later, and saving is free. The steps are checked as those of a call are. In `params` of a step, `{ "param": "name" }` stands for the whole value of a parameter; it never becomes a part of SQL: in data/sql, name it in `params` and write $name in the statement. Files are given by each call, as `file` or `inputs`.',
  auth: OWNER_AUTH,
  connectorScope: 'mcp:write',
  params: PipelineName,
  body: Type.Object(DEFINITION_FIELDS, { additionalProperties: false }),
  reply: { status: 201, schema: SavedPipeline },
  errors: [
    ...(['PIPELINE_INVALID', 'TOO_MANY_PIPELINES', 'MODE_DISABLED', 'BODY_TOO_LARGE', 'CONFLICTING_OPTIONS'] as const),
    ...(['MISSING_FIELD', 'UNKNOWN_FIELD', 'INVALID_PARAM'] as const),
    ...OWNER_ERRORS,
  ],
  examples: [
    {
      title: 'Totals of large orders',
      input: {
        params: { least: { type: 'number', default: 5, description: 'Smaller orders do not count.' } },
        steps: [
          { op: 'data/filter', params: { where: { column: 'amount', op: 'gte', value: { param: 'least' } } } },
          { op: 'data/groupby', params: { by: ['city'], aggs: [{ column: 'amount', fn: 'sum', as: 'total' }] } },
        ],
        outFormat: 'json',
      },
    },
  ],
  async handle({ caller: { accountId }, params: { name }, body }, context) {
    if (!NAME.test(name)) throw new Problem('INVALID_PARAM', { field: 'name', pattern: NAME.source })
    const definition = checkDefinition(context, body as Omit<Definition, 'inputs'>)
    if (Buffer.byteLength(JSON.stringify(definition)) > MAX_BYTES)
      throw new Problem('BODY_TOO_LARGE', { ceiling: MAX_BYTES })
    const max = context.settings.get('pipeline.max_saved')
    return describePipeline(await savePipeline(context.db, { accountId, name, definition, max }))
  },
})
