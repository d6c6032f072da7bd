import { Type } from 'typebox'
import { readCheckpoint } from '../../../../sql/checkpoint/versions.ts'
import { requireRate } from '../../../intake/identity/rate-limit.ts'
import { route } from '../../../route.ts'
import { entityTag, isKnown, OWNER_ERRORS, OWNER_READS } from '../../lease/index.ts'
import { WorkflowId } from '../schema.ts'
import { requireWorkflowId } from '../workflow-id.ts'

export default route({
  at: 'GET /api/checkpoint/{workflow_id}',
  summary: 'Read the last version of a checkpoint, or an earlier one that is still kept.',
  keywords: 'load state, restore, resume where it stopped, continue a workflow, read saved state',
  description:
    'The body is the JSON as it was written. `X-Checkpoint-Version` and `X-Checkpoint-Updated-At` tell which version it is and when it was written; send its `ETag` as `If-Match` to replace no other version.',
  auth: OWNER_READS,
  params: WorkflowId,
  query: Type.Object(
    { version: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647 })) },
    { additionalProperties: false },
  ),
  headers: Type.Object({ 'If-None-Match': Type.Optional(Type.String()) }),
  reply: { status: 200, schema: Type.Unknown({ description: 'The JSON as it was written.' }) },
  errors: [
    'INVALID_WORKFLOW_ID',
    'INVALID_PARAM',
    'UNKNOWN_FIELD',
    'NOT_FOUND',
    'GONE',
    'RATE_LIMITED',
    ...OWNER_ERRORS,
  ],
  async handle({ caller: { accountId }, params, query, headers, reply }, context) {
    const workflowId = requireWorkflowId(params.workflow_id)
    const perMinute = context.settings.get('rate.checkpoint_reads_per_minute')
    requireRate(context, `checkpoint read:${accountId}:${workflowId}`, perMinute)
    const found = await readCheckpoint(context.db, accountId, workflowId, query.version)
    const tag = entityTag(found.version, found.sha256)
    reply.headers({
      etag: tag,
      'x-content-type-options': 'nosniff',
      'last-modified': found.updated_at.toUTCString(),
      'x-checkpoint-version': String(found.version),
      'x-checkpoint-updated-at': found.updated_at.toISOString(),
      'x-lease-expires-at': found.expires_at.toISOString(),
    })
    if (isKnown(headers['If-None-Match'], tag)) reply.code(304).send()
    else reply.type(found.content_type).send(found.body)
  },
})
