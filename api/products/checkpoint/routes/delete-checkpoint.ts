import { Type } from 'typebox'
import { deleteCheckpoint } from '../../../../sql/checkpoint/versions.ts'
import { route } from '../../../route.ts'
import { OWNER_AUTH, OWNER_ERRORS } from '../../lease/index.ts'
import { WorkflowId } from '../schema.ts'
import { requireWorkflowId } from '../workflow-id.ts'

export default route({
  at: 'DELETE /api/checkpoint/{workflow_id}',
  summary: 'Delete a checkpoint with all its versions before its time. Nothing is paid back.',
  keywords: 'checkpoint remove state',
  auth: OWNER_AUTH,
  params: WorkflowId,
  reply: { status: 200, schema: Type.Object({ status: Type.Literal('deleted') }) },
  errors: ['INVALID_WORKFLOW_ID', 'NOT_FOUND', 'GONE', ...OWNER_ERRORS],
  async handle({ caller, params }, { db }) {
    await deleteCheckpoint(db, caller.accountId, requireWorkflowId(params.workflow_id))
    return { status: 'deleted' }
  },
})
