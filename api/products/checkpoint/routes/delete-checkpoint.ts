import { Type } from 'typebox'
import { deleteCheckpoint } from '../../../../sql/checkpoint/versions.ts'
import { route } from '../../../route.ts'
import { CONDITION_HEADERS, OWNER_AUTH, OWNER_ERRORS, readExpectedVersion } from '../../lease/index.ts'
import { WorkflowId } from '../schema.ts'
import { requireWorkflowId } from '../workflow-id.ts'

export default route({
  at: 'DELETE /api/checkpoint/{workflow_id}',
  summary: 'Delete a checkpoint with all its versions before its time. Nothing is paid back.',
  keywords: 'checkpoint remove state',
  auth: OWNER_AUTH,
  params: WorkflowId,
  headers: Type.Object(CONDITION_HEADERS),
  reply: { status: 200, schema: Type.Object({ status: Type.Literal('deleted') }) },
  errors: [
    'INVALID_WORKFLOW_ID',
    'INVALID_PARAM',
    'CONFLICTING_OPTIONS',
    'NOT_FOUND',
    'VERSION_CONFLICT',
    'GONE',
    ...OWNER_ERRORS,
  ],
  async handle({ caller: { accountId }, params, headers, request }, { db }) {
    const workflowId = requireWorkflowId(params.workflow_id)
    await deleteCheckpoint(db, { accountId, workflowId }, readExpectedVersion(request.headers, headers['X-If-Version']))
    return { status: 'deleted' }
  },
})
