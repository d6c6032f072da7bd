import { Type } from 'typebox'
import { listVersions } from '../../../../sql/checkpoint/versions.ts'
import { route } from '../../../route.ts'
import { OWNER_ERRORS, OWNER_READS } from '../../lease/index.ts'
import { CheckpointVersion, WorkflowId } from '../schema.ts'
import { requireWorkflowId } from '../workflow-id.ts'

export default route({
  at: 'GET /api/checkpoint/{workflow_id}/versions',
  summary: 'List the versions of a checkpoint that are kept, newest first. The last ten are.',
  keywords: 'history of a checkpoint, older versions of saved state, previous states',
  auth: OWNER_READS,
  params: WorkflowId,
  query: Type.Object(
    { limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }) },
    { additionalProperties: false },
  ),
  reply: { status: 200, schema: Type.Object({ items: Type.Array(CheckpointVersion) }) },
  errors: ['INVALID_WORKFLOW_ID', 'INVALID_PARAM', 'UNKNOWN_FIELD', 'NOT_FOUND', 'GONE', ...OWNER_ERRORS],
  async handle({ caller, params, query, reply }, { db }) {
    const items = await listVersions(db, caller.accountId, requireWorkflowId(params.workflow_id), query.limit)
    reply.header('x-lease-expires-at', items[0]!.expires_at)
    return { items }
  },
})
